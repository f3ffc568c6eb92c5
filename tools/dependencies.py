"""What partwise needs: ``python tools/dependencies.py sbom|constraints|lowest FILE``.

``sbom`` is a software bill of materials in CycloneDX JSON: partwise, the packages that it and its extras need, directly
or through others, and the code inside its kernels. ``constraints`` are the newest tested versions of the same packages,
for ``pip install --constraint``. Both are of the packages that are installed here. ``lowest`` are the lowest versions
that pyproject.toml allows of the packages that partwise and its extras need directly.
"""

from __future__ import annotations

import json
import sys
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
COMPILED_IN = {"nanobind": "BSD-3-Clause", "robin-map": "MIT"}
"""The licences of the code inside the kernels."""
CONSTRAINTS_HEAD = """\
# The newest versions with which partwise is tested, written by make constraints; the oldest are in pyproject.toml.
# pip install --constraint constraints.txt "partwise[report]"
"""


def direct() -> list[Requirement]:
    """The requirements of the package and of its extras."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].values()
    return [Requirement(line) for line in [*project["dependencies"], *(line for extra in extras for line in extra)]]


def needed() -> tuple[dict[str, Distribution], dict[str, list[str]]]:
    """The installed packages that partwise needs, by name, and for each the names of those that it needs itself."""
    packages: dict[str, Distribution] = {}
    edges: dict[str, list[str]] = {}
    queue = direct()
    while queue:
        requirement = queue.pop()
        name = canonicalize_name(requirement.name)
        if name in packages:
            continue
        try:
            packages[name] = distribution(requirement.name)
        except PackageNotFoundError:
            sys.exit(f"{requirement.name} is not installed; run make test-all first")
        lines = [Requirement(line) for line in packages[name].requires or ()]
        extras = [*requirement.extras, ""]
        own = [line for line in lines if line.marker is None or any(line.marker.evaluate({"extra": e}) for e in extras)]
        edges[name] = sorted({canonicalize_name(line.name) for line in own})
        queue += own
    return dict(sorted(packages.items())), edges


def licence(package: Distribution) -> list[dict[str, Any]]:
    """The licence of a package as its metadata state it."""
    about = package.metadata
    if expression := about.get("License-Expression"):
        return [{"expression": expression}]
    name = about.get("License") or ""
    if not name or len(name) > 80 or "\n" in name:
        classifiers = [line for line in about.get_all("Classifier", []) if line.startswith("License ::")]
        name = classifiers[-1].split(" :: ")[-1] if classifiers else ""
    return [{"license": {"name": name}}] if name else []


def component(name: str, version: str, licences: list[dict[str, Any]]) -> dict[str, Any]:
    purl = f"pkg:pypi/{name}@{version}"
    about = {"type": "library", "bom-ref": purl, "name": name, "version": version, "purl": purl}
    return about | ({"licenses": licences} if licences else {})


def sbom() -> str:
    packages, edges = needed()
    version: dict[str, str] = {}
    exec((ROOT / "src/partwise/_version.py").read_text(), version)
    own = component("partwise", version["__version__"], [{"expression": "Apache-2.0"}])
    parts = {name: component(name, package.version, licence(package)) for name, package in packages.items()}
    compiled = [
        {"type": "library", "bom-ref": name, "name": name, "licenses": [{"expression": expression}]}
        for name, expression in COMPILED_IN.items()
    ]
    roots = sorted({canonicalize_name(requirement.name) for requirement in direct()})
    refs = [parts[name]["bom-ref"] for name in roots] + list(COMPILED_IN)
    content = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": own},
        "components": [*parts.values(), *compiled],
        "dependencies": [
            {"ref": own["bom-ref"], "dependsOn": refs},
            *({"ref": parts[a]["bom-ref"], "dependsOn": [parts[b]["bom-ref"] for b in edges[a]]} for a in parts),
        ],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def constraints() -> str:
    return CONSTRAINTS_HEAD + "".join(f"{name}<={package.version}\n" for name, package in needed()[0].items())


def lowest() -> str:
    bounds = [(requirement.name, bound) for requirement in direct() for bound in requirement.specifier]
    return "".join(f"{name}=={bound.version}\n" for name, bound in bounds if bound.operator == ">=")


if __name__ == "__main__":
    what, file = sys.argv[1:]
    Path(file).parent.mkdir(parents=True, exist_ok=True)
    Path(file).write_text({"sbom": sbom, "constraints": constraints, "lowest": lowest}[what]())
