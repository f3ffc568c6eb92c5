"""Command lines: every command with most of its options, on valid and mutated files.

The options come from the parser of partwise itself; `ARGUMENTS` says how the value of each is drawn. An option that is
new and has no entry there is an error of the attack, and a test.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from random import Random
from typing import Any

from attacks import corpora, mutations, seeds, values
from attacks.case import Case, Content
from attacks.seeds import Grid
from partwise import types
from partwise.options import TASKS

Words = list[str]

WEIGHTS = {
    "evaluate": 300, "check": 120, "convert": 180, "locate": 60, "index": 40, "tree": 40, "ideal": 30, "explain": 50,
    "navigation": 40, "measures": 15, "compare": 50, "study": 60, "report": 2, "demo": 0.3,
}  # fmt: skip
"""How often a command is drawn; those that take long are rare."""
PICTURES = 0.05
"""How often a command that can draw a chart does; a chart takes as long as a hundred other cases."""


@dataclass
class Draft:
    """A file that may still be mutated."""

    name: str
    content: Grid | bytes


@dataclass
class Drawing:
    """What one case is made of while it is drawn."""

    rng: Random
    command: str
    run_kind: str = "documents"
    qrels_kind: str = "grades"
    drafts: list[Draft] = field(default_factory=list)
    files: dict[str, Content] = field(default_factory=dict)
    stdin: str | None = None
    """The name of the file that is given as standard input."""
    collection: str | None = None

    def draft(self, name: str, content: Grid | bytes) -> str:
        self.drafts.append(Draft(name, content))
        return name

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability


@cache
def interface() -> dict[tuple[str, ...], list[argparse.Action]]:
    """The arguments of every command, by its words: ``("study", "queries")``."""
    from partwise.cli import parser

    def inner(words: tuple[str, ...], of: argparse.ArgumentParser) -> Iterator[tuple[tuple[str, ...], Any]]:
        below = [action for action in of._actions if isinstance(action, argparse._SubParsersAction)]
        if below:
            for name, one in below[0].choices.items():
                yield from inner((*words, name), one)
        else:
            yield words, [action for action in of._actions if action.dest not in ("help", "version")]

    return dict(inner((), parser()))


# ---- files --------------------------------------------------------------------------------------------------


def file_name(rng: Random, stem: str, suffix: str) -> str:
    """A name for a file, sometimes hostile: the names of runs come from it."""
    if rng.random() < 0.12:
        text = rng.choice(values.TEXTS).replace("/", "").replace("\0", "")[:60]
        text = rng.choice(values.SURROGATES[2:]) if rng.random() < 0.2 else text  # not UTF-8
        stem = rng.choice((text, f"{stem}{text}"))
    return f"{stem or 'x'}{suffix}"


def _format_with(rng: Random, table: dict[str, dict[str, Any]], kind: str) -> Grid:
    makers = [of_format[kind] for of_format in table.values() if kind in of_format]
    return rng.choice(makers)(rng)


def a_run(draw: Drawing, stem: str = "r") -> str:
    made = _format_with(draw.rng, seeds.RUNS, draw.run_kind)
    return draw.draft(file_name(draw.rng, stem, made.suffix), made)


def a_qrels(draw: Drawing) -> str:
    made = _format_with(draw.rng, seeds.QRELS, draw.qrels_kind)
    return draw.draft(f"qrels{made.suffix}", made)


def runs(draw: Drawing) -> Words:
    return [a_run(draw, f"r{number}") for number in range(draw.rng.choice((1, 1, 1, 2, 3)))]


def a_collection(draw: Drawing) -> str:
    if draw.collection is None:
        mutate = draw.chance(0.35)
        draw.collection, files = corpora.draw(draw.rng, mutate)
        draw.files |= files
    return draw.collection


def scores(draw: Drawing) -> Words:
    """Files of saved scores, some with a record of their provenance."""
    names = []
    for number in range(draw.rng.choice((1, 1, 2))):
        made = seeds.scores(draw.rng, tuple(f"run{number}{letter}" for letter in "abc"[: draw.rng.randint(1, 3)]))
        names.append(draw.draft(f"s{number}{made.suffix}", made))
        if draw.chance(0.2):
            record = b'{"partwise": "0.1.0", "command": "x", "unit": "chars", "sha256": "0", "inputs": [], "judged": 5}'
            draw.draft(f"{names[-1]}.provenance.json", record)
        elif draw.chance(0.1) and made.suffix == ".tsv":
            draw.files[f"head{number}.tsv"] = b"# partwise: 0.1.0\n# unit: chars\n" + made.bytes()
            names.append(f"head{number}.tsv")
    return names


def files_or_scores(draw: Drawing) -> Words:
    return scores(draw) if draw.chance(0.7) else [a_qrels(draw), *runs(draw)]


def source(draw: Drawing) -> str:
    """A run or assessments to convert, or a folder or archive of INEX XML."""
    rng = draw.rng
    kind = rng.random()
    if kind < 0.5:
        return a_run(draw)
    if kind < 0.9:
        return a_qrels(draw)
    made = [seeds.QRELS["xml"][rng.choice(("elements", "paths"))](rng) for _ in range(2)]
    pools = {
        f"{number}.xml": mutations.grid(rng, grid, mutations.count(rng)).bytes() for number, grid in enumerate(made)
    }
    if rng.random() < 0.5:
        draw.files |= {f"pools/{name}": data for name, data in pools.items()}
        return "pools"
    draw.files["pools.zip"] = mutations.zipped(pools)
    return "pools.zip"


def from_grid(make: Callable[[Random], Grid], stem: str) -> Callable[[Drawing], str]:
    def draft(draw: Drawing) -> str:
        made = make(draw.rng)
        return draw.draft(f"{stem}{made.suffix}", made)

    return draft


# ---- words --------------------------------------------------------------------------------------------------


@cache
def measure_names() -> tuple[str, ...]:
    import partwise as pw

    return tuple(row[0] for row in pw.list_measures())


PARAMETERS = (
    "quant=gen", "quant=strict", "quant=sog", "nav=depth", "nav=hierarchy", "nav=distance(A=0.2)", "nav=coverage",
    "nav=none", "nav=routes(file='routes.jsonl')", "nav=table(file='t.csv')", "nav=summary", "nav=users", "alpha=0",
    "alpha=1/3", "alpha=0.1", "budget=100", "score=BEPn(n=5)", "score=F", "beta=2", "rel=spe", "parts=passages",
    "parts=elements", "ideals=bep", "x=1", "quant=", "=", "cutoff=3", "share=0.5", "normalise=True",
)  # fmt: skip
OTHER_MEASURES = (
    "P@5",
    "nDCG@10",
    "map",
    "ndcg_cut_10",
    "official",
    "MAiP",
    "iP[0.01]",
    "P(rel=2)@5",
    "Rprec",
    "AP",
    "num_q",
)


def measure(rng: Random) -> str:
    name = rng.choice(measure_names()) if rng.random() < 0.8 else rng.choice(OTHER_MEASURES)
    parameters = ",".join(rng.choice(PARAMETERS) for _ in range(rng.choice((0, 0, 0, 1, 1, 2))))
    cutoff = rng.choice(("", "", "@1", "@5", "@0.5", "@1000", f"@{values.number(rng)}"))
    text = f"{name}({parameters})" if parameters else name
    return text + cutoff


def long_text(rng: Random, most: int = 120_000) -> str:
    """A long word of few characters; a system accepts up to 128 KiB."""
    piece = rng.choice(
        (
            "(",
            ")",
            " ",
            ",",
            "iAP(",
            "iAP ",
            "P@",
            "@",
            "=",
            "a=",
            "'",
            '"',
            "\\",
            "P@5,",
            "9",
            ".",
            "[",
            "iAP(nav=",
            "[0.",
        )
    )
    return rng.choice(("", "iAP", "P@")) + piece * (most // len(piece))


def measures(draw: Drawing) -> str:
    rng = draw.rng
    if rng.random() < 0.004:
        return long_text(rng)
    text = rng.choice((" ", ",", ", ")).join(measure(rng) for _ in range(rng.randint(1, 3)))
    return hostile_word(rng, text) if rng.random() < 0.15 else text


def hostile_word(rng: Random, usual: str) -> str:
    kind = rng.random()
    if kind < 0.4:
        at = rng.randrange(len(usual) + 1)
        return usual[:at] + rng.choice((values.text, values.number))(rng) + usual[at:]
    return values.number(rng) if kind < 0.7 else values.text(rng)


def word(*usual: str, hostile: float = 0.2) -> Callable[[Drawing], str]:
    """One of these words, sometimes a hostile one."""

    def drawn(draw: Drawing) -> str:
        chosen = draw.rng.choice(usual)
        return hostile_word(draw.rng, chosen) if draw.chance(hostile) else chosen

    return drawn


def output(*suffixes: str) -> Callable[[Drawing], str]:
    """The name of a file to write; sometimes something is there already."""

    def drawn(draw: Drawing) -> str:
        rng = draw.rng
        suffix = rng.choice(suffixes)
        if rng.random() < 0.15:
            suffix += rng.choice((".gz", ".bz2", ".xz", ".zst"))
        name = (
            rng.choice(
                ("out", "out", "out", "new/out", "caf\udce9", "out\x1b[31m", "-out", "", ".", "/dev/full", "a" * 260)
            )
            if rng.random() < 0.15
            else "out"
        )
        name += suffix if name not in (".", "") or rng.random() < 0.5 else ""
        if rng.random() < 0.06 and not name.startswith("/"):
            draw.files[name or "out"] = rng.choice(mutations.SPECIAL_OUTPUTS)
        elif name.startswith("new/") and rng.random() < 0.5:
            draw.files["new"] = b"a file"
        return name

    return drawn


def picture(draw: Drawing) -> str | None:
    suffix = draw.rng.choice((".html", ".svg", ".png"))
    return f"plot{suffix}" if draw.chance(0.95) else output(suffix, ".pdf")(draw)


def named_file(draw: Drawing) -> str:
    name = values.text(draw.rng) if draw.chance(0.6) else "name"
    file = a_run(draw, "named") if draw.command in ("evaluate", "check") or draw.chance(0.3) else scores(draw)[0]
    return f"{name}={file}"


def navigation(draw: Drawing) -> str:
    return draw.draft("users.json", seeds.graph(draw.rng))


def level(draw: Drawing) -> str:
    return word("sections=sec,p", "x=p", "=", "a=,")(draw)


WHOLE = word("1", "2", "3", "10", hostile=0.3)
SHARE = word("0.05", "0.5", "0.95", "1", "0.1", hostile=0.3)
ID = word(*seeds.QUERIES, hostile=0.2)
QUANT = word("strict", "gen", "sog", "spe", "unknown")
TABLES = (".tsv", ".csv", ".jsonl", ".tex", ".txt")

ARGUMENTS: dict[str, Callable[[Drawing], str | Words | None]] = {
    # files
    "qrels": a_qrels,
    "runs": runs,
    "run_file": a_run,
    "files": files_or_scores,
    "names": named_file,
    "collection": a_collection,
    "corpus": a_collection,
    "index source": a_collection,
    "source": source,
    "chunks": from_grid(seeds.chunks, "chunks"),
    "lengths": from_grid(seeds.lengths, "lengths"),
    "queries": from_grid(seeds.queries, "queries"),
    "routes": from_grid(seeds.routes, "routes"),
    "navigation": navigation,
    "graph": navigation,
    "folder": output(""),
    # outputs
    "output": output(*TABLES, ".parquet"),
    "convert target": output(".run", ".txt", ".xml", ".zip", ".csv", ".tsv", ".jsonl", ".parquet"),
    "locate output": output(".jsonl", ".csv", ".tsv", ".parquet"),
    "index output": output(".parquet"),
    "ideal output": output(".run", ".txt", ".xml", ".csv", ".tsv", ".jsonl", ".parquet"),
    "navigation output": output(".json"),
    "report output": output(".html"),
    "plot": picture,
    # words
    "measures": measures,
    "measures name": lambda draw: measure(draw.rng) if draw.chance(0.8) else word("iAP")(draw),
    "task": word(*TASKS, hostile=0.05),
    "format": word("table", "tsv", "jsonl", "csv", "latex", "parquet", "trec", hostile=0.05),
    "to": word("trec", "inex", "xml", "csv", "tsv", "jsonl", "parquet", "text", hostile=0.1),
    "kind": word(*types.CURVES, hostile=0.05),
    "convert kind": word("run", "assessments", hostile=0.05),
    "convert name": word("tag", "r", "r1"),
    "places": WHOLE,
    "provenance": word("file", "head", "none", hostile=0.05),
    "average_over": word("judged", "run", hostile=0.05),
    "order": word("rank", "score", hostile=0.05),
    "unit": word("chars", "bytes", "bytes", hostile=0.05),
    "assessor": word("ann", "ben", "3"),
    "run_id": word("stem", "tag", "tag", hostile=0.05),
    "by": word("tag", "path", hostile=0.1),
    "jobs": word("1", "2", "3", hostile=0.3),
    "threads": word("1", "2", hostile=0.2),
    "engine": word("local", "nowhere", hostile=0.1),  # Spark takes seconds to start, and has tests of its own
    "master": word("local[1]"),
    "baseline": word("run0a", "run0b", "r1"),
    "test": word(*types.TESTS, hostile=0.05),
    "correct": word(*types.CORRECTIONS, hostile=0.05),
    "alpha": SHARE,
    "confidence": SHARE,
    "seed": WHOLE,
    "size": WHOLE,
    "fuzz": SHARE,
    "difference": word("0.02", "10%", "1e308", "0%", "nan%", hostile=0.3),
    "error": SHARE,
    "best": SHARE,
    "project": WHOLE,
    "level": level,
    "limit": WHOLE,
    "count": word("1", "2", "10", hostile=0.05),
    "title": word("title", hostile=0.5),
    "max_mb": word("20", "1", "0.001", hostile=0.3),
    "ambiguous": word(*types.IF_AMBIGUOUS, hostile=0.05),
    "missing": word(*types.IF_MISSING, hostile=0.05),
    "doc": word("a", "b", "s/c", "m", "link", hostile=0.2),
    "query_id": ID,
    "quant": QUANT,
    "nav": word("depth", "coverage", "distance(A=0.1)", "users", "none", "hierarchy", "summary", hostile=0.3),
    "parts": word("elements", "passages", hostile=0.05),
    "rel": word("binary", "length", "spe", hostile=0.05),
    "match": word("exact", "contains", hostile=0.05),
    "cutoff": word("1", "2", "0", "-1", hostile=0.3),
}  # fmt: skip
"""How the value of an argument is drawn, by its name in the parser, with the command before it if that matters."""

RARE = {"plot": PICTURES, "jobs": 0.1, "output": 0.3, "measures": 0.6, "names": 0.1}
"""How often an option is given, if not as often as the others."""
IDS = ("run_id", "query_id", "doc_id", "measure", "assessor")
NEEDS_DOCUMENTS = ("elements", "trees", "ranges", "paths")
TRIALS = word("20", "5", hostile=0.01)
"""Drawn always, because the default takes long; a hostile number is a long wait that was asked for."""


def argument(command: str, dest: str) -> Callable[[Drawing], str | Words | None]:
    """How an argument is drawn."""
    return ARGUMENTS.get(f"{command} {dest}") or ARGUMENTS[dest]


def values_of(draw: Drawing, action: argparse.Action) -> Words:
    drawn = argument(draw.command, action.dest)(draw)
    return drawn if isinstance(drawn, list) else [] if drawn is None else [drawn]


def is_possible(text: str) -> bool:
    """Whether a command line can have this word."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def case(rng: Random) -> Case:
    """A command on files of which some are mutated."""
    chosen = rng.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
    words = rng.choice([words for words in interface() if words[0] == chosen])
    draw = Drawing(rng, chosen, rng.choice(seeds.RUN_KINDS), rng.choice(seeds.QRELS_KINDS))
    line: Words = []
    actions = interface()[words]
    options = [action for action in actions if action.option_strings]
    positional = [action for action in actions if not action.option_strings]
    for action in positional:
        if action.nargs != "?" or rng.random() < 0.9:
            line += values_of(draw, action)
    needs = {draw.run_kind, draw.qrels_kind} & set(NEEDS_DOCUMENTS)
    for action in options:
        usual = 2.0 / len(options) if action.nargs == 0 else 3.0 / len(options)
        probability = RARE.get(action.dest, usual)
        if action.required or (action.dest == "collection" and needs):
            probability = 0.95
        if action.dest == "trials":
            line += [action.option_strings[0], TRIALS(draw)]
        elif rng.random() < probability:
            given = [] if action.nargs == 0 else values_of(draw, action)
            line += [action.option_strings[0], *given]
    if rng.random() < 0.02 and line:
        line[rng.randrange(len(line))] = values.text(rng).lstrip("/")  # nothing is written outside of the folder
    return finished(draw, [*words, *(one for one in line if is_possible(one))])


def rename(draw: Drawing, words: Words) -> Words:
    """Give one id a hostile name, everywhere in the files and on the command line, so that it reaches the output."""
    rng = draw.rng
    grids = [draft.content for draft in draw.drafts if isinstance(draft.content, Grid)]
    found = [(name, cell) for grid in grids for name in IDS if name in grid.names for cell in grid.column(name)]
    if not found:
        return words
    column, old = rng.choice(found)
    new = values.text(rng, surrogates=True)
    for grid in grids:
        if column in grid.names:
            at = grid.names.index(column)
            for row in grid.rows:
                row[at] = new if row[at] == old else row[at]
    return [new if one == old and is_possible(new) else one for one in words]


def finished(draw: Drawing, words: Words) -> Case:
    """The case, after some of its files were mutated and some given through standard input."""
    rng, drafts = draw.rng, draw.drafts
    if rng.random() < (0.7 if "--plot" in words or words[0] == "report" else 0.15):
        words = rename(draw, words)
        drafts = [] if rng.random() < 0.7 else drafts
    mutated = rng.sample(drafts, min(len(drafts), rng.choice((0, 1, 1, 1, 1, 1, 2, 3))))
    stdin = None
    for draft in draw.drafts:
        content, name = _content(rng, draft, any(draft is one for one in mutated))
        if name != draft.name and name:
            words = [name if one == draft.name else one for one in words]
        if content is not None and name not in draw.files:
            if isinstance(content, bytes) and stdin is None and draft.name in words and rng.random() < 0.03:
                words = ["-" if one == draft.name else one for one in words]
                stdin = content
            else:
                draw.files[name] = content
    if rng.random() < 0.02 and drafts and words[0] != "demo":
        words.append(rng.choice(drafts).name)  # the same file twice
    files = {name: content for name, content in draw.files.items() if _can_exist(name)}
    return Case((tuple(words),), files, stdin)


def _can_exist(name: str) -> bool:
    parts = name.split("/")
    return all(part not in ("", ".", "..") and len(os.fsencode(part)) < 250 for part in parts)


def _content(rng: Random, draft: Draft, mutate: bool) -> tuple[Content | None, str]:
    """The content of a file and its name, mutated on one of the levels or not."""
    made, name = draft.content, draft.name
    level = rng.random() if mutate else -1.0
    if level > 0.96:
        return rng.choice(mutations.SPECIAL), name
    if isinstance(made, Grid):
        if 0 <= level < 0.7:
            mutations.grid(rng, made, mutations.count(rng))
        data = made.bytes()
    else:
        data = mutations.raw(rng, made, mutations.count(rng)) if 0 <= level < 0.7 else made
    if 0.7 <= level < 0.85:
        is_markup = name.endswith(".xml") and data.startswith(b"<")
        data = mutations.markup(rng, data) if is_markup and rng.random() < 0.7 else mutations.raw(rng, data)
    elif 0.85 <= level < 0.95 or (not mutate and rng.random() < 0.05):
        suffix, data = mutations.compressed(rng, data)
        name += suffix
    elif level >= 0.95 and rng.random() < 0.04:
        suffix = rng.choice(list(mutations.COMPRESS))
        name, data = name + suffix, mutations.bomb(suffix)
    return data, name
