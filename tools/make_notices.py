"""Write the licences of the libraries that are copied into HTML pages: Vega, Vega-Lite, Vega-Embed and what they use.

``npm install --prefix FOLDER vega@X vega-lite@Y vega-embed@Z``, with the versions that vl-convert contains, then
``python tools/make_notices.py FOLDER``. Packages that only their command lines use are not in a page.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

TARGET = Path(__file__).parents[1] / "src/partwise/report/page/LIBRARIES.txt"
ROOTS = ("vega", "vega-lite", "vega-embed")
NOT_IN_A_PAGE = {"commander", "iconv-lite", "rw", "yargs", "@types/estree", "@types/geojson", "vega-typings"}
HEAD = """\
This page contains the following libraries in one script. Each is listed with its licence and copyright;
the texts of the licences follow.
"""


def packages(folder: Path) -> dict[str, tuple[str, list[str], str]]:
    """The packages in a page: licence, copyright lines, and the text of the licence without them."""
    found: dict[str, tuple[str, list[str], str]] = {}
    queue = list(ROOTS)
    while queue:
        name = queue.pop()
        if name in found or name in NOT_IN_A_PAGE:
            continue
        home = folder / "node_modules" / name
        about = json.loads((home / "package.json").read_text())
        [licence] = [path for path in home.iterdir() if path.name.lower().startswith("licen")]
        lines = [line.strip() for line in licence.read_text().replace("-->", "").splitlines()]
        copyright = [line for line in lines if line.startswith(("Copyright", "(c)"))]
        text = "\n".join(line for line in lines if line not in copyright).strip()
        found[name] = about["license"], copyright, text
        queue += about.get("dependencies", {})
    return dict(sorted(found.items()))


def main() -> None:
    texts: dict[str, str] = {}
    libraries: dict[str, list[str]] = {}
    for name, (licence, copyright, text) in packages(Path(sys.argv[1])).items():
        key = " ".join(text.split()).lower().removeprefix("all rights reserved. ")
        texts.setdefault(key, text)
        libraries.setdefault(key, []).append(f"{name} ({licence}). {' '.join(copyright)}".strip())
    parts = ["\n".join(names) + f"\n\n{texts[key]}\n" for key, names in libraries.items()]
    TARGET.write_text("\n".join([HEAD, *parts]).replace("--", "- -"))  # it is a comment in the page


if __name__ == "__main__":
    main()
