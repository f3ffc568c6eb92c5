"""The package as users install it: a wheel in a separate environment."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from support.paths import ROOT, TESTS


def installed(folder: Path, **environment: str) -> tuple[Path, str]:
    """Build a wheel and install it; the folder of the environment's programs, and the name of the wheel."""
    wheels = folder / "wheels"
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(wheels), str(ROOT)]
    settings = ["--config-settings=build-dir=" + str(folder / "build")]
    subprocess.run([*build, *settings], check=True, cwd=folder, env={**os.environ, **environment})
    [wheel] = wheels.iterdir()
    venv.create(folder / "venv", with_pip=True)
    programs = folder / "venv" / "bin"
    subprocess.run([programs / "python", "-m", "pip", "install", "--quiet", str(wheel)], check=True, cwd=folder)
    return programs, wheel.name


def output(folder: Path, *command: str | Path) -> str:
    return subprocess.run(command, check=True, cwd=folder, capture_output=True, text=True).stdout


@pytest.mark.slow
def test_a_wheel_installs_and_runs(tmp_path: Path) -> None:
    programs, wheel = installed(tmp_path)
    names = zipfile.ZipFile(tmp_path / "wheels" / wheel).namelist()
    assert {"LICENSE", "THIRD-PARTY.txt", "LIBRARIES.txt"} <= {name.split("/")[-1] for name in names}
    assert not wheel.endswith("-none-any.whl")
    assert output(tmp_path, programs / "partwise", "--version").endswith("(native kernels)\n")
    assert output(tmp_path, programs / "partwise", "demo") == without_report()


def without_report() -> str:
    """The output of the demo if the packages for a report are not installed."""
    golden = (TESTS / "golden" / "demo.out").read_text()
    missing = "the report needs vl-convert-python, which is not installed; run pip install 'partwise[report]'."
    without = f"There is no report: {missing}"
    report = "To look at lists, documents and curves, open partwise-demo/report.html in a browser."
    assert report in golden
    return golden.replace(report, without)


def requirements() -> list[Requirement]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [line for extra in project["optional-dependencies"].values() for line in extra]
    return [Requirement(line) for line in (*project["dependencies"], *extras)]


def test_every_dependency_has_an_oldest_and_a_newest_version() -> None:
    lines = [line for line in (ROOT / "constraints.txt").read_text().splitlines() if not line.startswith("#")]
    newest = dict(line.split("<=") for line in lines)
    for requirement in requirements():
        [oldest] = requirement.specifier
        assert oldest.operator == ">=", requirement
        assert Version(oldest.version) <= Version(newest[requirement.name.replace("_", "-")]), requirement


@pytest.mark.slow
def test_the_newest_versions_are_those_of_this_environment(tmp_path: Path) -> None:
    """constraints.txt has what is tested here; if not, the environment is old, or `make constraints` was forgotten."""
    file = tmp_path / "constraints.txt"
    subprocess.run([sys.executable, ROOT / "tools/dependencies.py", "constraints", file], check=True)
    assert file.read_text() == (ROOT / "constraints.txt").read_text()


def test_the_lowest_versions_are_those_of_the_project(tmp_path: Path) -> None:
    file = tmp_path / "lowest.txt"
    subprocess.run([sys.executable, ROOT / "tools/dependencies.py", "lowest", file], check=True)
    lines = file.read_text().splitlines()
    assert "numpy==1.26" in lines
    assert len(lines) == len(requirements())


@pytest.mark.slow
def test_the_bill_of_materials(tmp_path: Path) -> None:
    """It names what we need and is valid CycloneDX, by the validator of that project."""
    file = tmp_path / "sbom.json"
    subprocess.run([sys.executable, ROOT / "tools/dependencies.py", "sbom", file], check=True)
    content = json.loads(file.read_text())
    names = {component["name"] for component in content["components"]}
    assert {requirement.name.replace("_", "-") for requirement in requirements()} | {"nanobind", "robin-map"} <= names
    refs = [component["bom-ref"] for component in (*content["components"], content["metadata"]["component"])]
    assert len(refs) == len(set(refs))
    assert all(ref in refs for one in content["dependencies"] for ref in (one["ref"], *one["dependsOn"]))
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "cyclonedx-python-lib[json-validation]"], check=True)
    check = (
        "import sys; from cyclonedx.schema import SchemaVersion;"
        "from cyclonedx.validation.json import JsonStrictValidator;"
        "print(JsonStrictValidator(SchemaVersion.V1_5).validate_str(open(sys.argv[1]).read()))"
    )
    assert output(tmp_path, python, "-c", check, file) == "None\n"
