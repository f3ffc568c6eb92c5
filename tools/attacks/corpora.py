"""Collections of documents: folders, archives, JSON Lines and stored indexes."""

from __future__ import annotations

import io
import os
import tempfile
from functools import cache
from random import Random

from attacks import indexes, mutations, seeds, values
from attacks.case import FIFO, LINK, Content, Special
from attacks.parquet import TYPES, UNWRITABLE, column, usual
from attacks.seeds import DOCUMENTS

LEAK = "leakmark"
"""The tag of a document outside of the collection, to which a link leads."""
OUTSIDE = f"<{LEAK}>text</{LEAK}>".encode()

MARKDOWN = "# Bees\n\nalpha *beta* gamma\n\n## More\n\n- one\n- two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
HTML = "<!doctype html><html><body><h1>Bees</h1><p>alpha <b>beta</b></p><ul><li>x</li></ul></body></html>"


def members(rng: Random) -> dict[str, bytes]:
    """The files of a collection: three of XML, sometimes others."""
    files = {f"{doc}.xml": text.encode() for doc, text in DOCUMENTS.items()}
    if rng.random() < 0.4:
        files |= {"m.md": MARKDOWN.encode(), "h.html": HTML.encode(), "t.txt": b"plain text\n\nsecond paragraph\n"}
    return files


def mutated_members(rng: Random, files: dict[str, bytes]) -> dict[str, bytes]:
    name = rng.choice(list(files))
    kind = rng.random()
    if kind < 0.6:
        files[name] = mutations.markup(rng, files[name])
    elif kind < 0.8:
        files[name] = mutations.raw(rng, files[name])
    elif kind < 0.9:
        new = rng.choice(
            ("../x.xml", "/abs.xml", "a\\b.xml", "a.txt", "a.XML", ".hidden.xml", "a/b/c/d.xml", "x.nxml", "é.xml")
        )
        files[new] = files[name]
    else:
        files[values.text(rng).replace("\0", "").strip("/") + ".xml"] = files[name]
    return files


def folder(rng: Random, mutate: bool, name: str) -> dict[str, Content]:
    files: dict[str, Content] = dict(members(rng))
    if mutate:
        files = {**mutated_members(rng, {key: data for key, data in files.items() if isinstance(data, bytes)})}
        kind = rng.random()
        if kind < 0.06:
            files[rng.choice(("p.xml", "a.xml"))] = Special(FIFO)
        elif kind < 0.16:
            files["link.xml"] = Special(LINK, "../outside.xml")
        elif kind < 0.19:
            files["up"] = Special(LINK, rng.choice(("..", ".", "../..", "up")))
        elif kind < 0.23:
            files["bad\udcff.xml"] = DOCUMENTS["a"].encode()
        elif kind < 0.25:
            files = {}
    safe = {key: data for key, data in files.items() if _is_path(key)}
    inside: dict[str, Content] = {f"{name}/{key}": data for key, data in safe.items()}
    if "link.xml" in files:
        inside["outside.xml"] = OUTSIDE
    return inside or {name: Special("folder")}


def _is_path(name: str) -> bool:
    parts = name.split("/")
    usable = all(part not in ("", ".", "..") and len(os.fsencode(part)) < 250 for part in parts)
    return usable and "\0" not in name and not name.startswith("/")


@cache
def index() -> bytes:
    """The stored index of the documents."""
    import partwise as pw

    with tempfile.TemporaryDirectory() as above:
        for doc, text in DOCUMENTS.items():
            path = os.path.join(above, f"{doc}.xml")
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
        target = os.path.join(above, "index.parquet")
        pw.write_index(above, target)
        with open(target, "rb") as stored:
            return stored.read()


def hostile_index(rng: Random) -> bytes:
    """An index that is damaged in its bytes, or has other columns or sections than partwise writes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    data = index()
    kind = rng.random()
    if kind < 0.25:
        return mutations.raw(rng, data)
    if kind < 0.65:
        return indexes.with_sections(rng, data)
    table = pq.read_table(io.BytesIO(data))
    if kind < 0.9:
        at = rng.randrange(table.num_columns)
        cells = table.column(at).to_pylist()
        if rng.random() < 0.5:
            cells[rng.randrange(len(cells))] = rng.choice((None, -1, 0, 2**31 - 1, -5, 10**6, "x", "/x[1]"))
            array = usual(cells)
        else:
            array = column(cells, rng.choice([kind for kind in TYPES if kind not in UNWRITABLE]))
        table = table.set_column(at, table.column_names[at], array)
    else:
        table = (
            table.drop_columns([rng.choice(table.column_names)])
            if rng.random() < 0.5
            else table.slice(0, rng.randrange(len(table)))
        )
    try:
        return indexes.with_table(data, table)
    except (pa.ArrowException, OSError, IndexError):
        return mutations.raw(rng, data)


def draw(rng: Random, mutate: bool, folder_name: str = "docs") -> tuple[str, dict[str, Content]]:
    """A collection in one of its forms: its path and its files."""
    kind = rng.random()
    if kind < 0.5:
        return folder_name, folder(rng, mutate, folder_name)
    if kind < 0.62:
        made = seeds.documents_jsonl(rng)
        data = mutations.grid(rng, made, mutations.count(rng) if mutate else 0).bytes()
        name = f"{folder_name}.jsonl"
    elif kind < 0.85:
        name, data = f"{folder_name}.parquet", hostile_index(rng) if mutate else index()
    else:
        files = members(rng)
        if mutate and rng.random() < 0.7:
            files = mutated_members(rng, files)
        pack = rng.choice((mutations.zipped, mutations.tarred))
        name, data = f"{folder_name}{'.zip' if pack is mutations.zipped else '.tar'}", pack(files)
        if name.endswith(".tar") and rng.random() < 0.5:
            name, data = f"{name}.gz", mutations.COMPRESS[".gz"](data)
        if mutate and rng.random() < 0.3:
            data = mutations.raw(rng, data)
    if mutate and rng.random() < 0.05:
        content = rng.choice(mutations.SPECIAL)
        return name, {} if content is None else {name: content}
    return name, {name: data}
