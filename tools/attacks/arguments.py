"""Values of arguments: files that are still to be mutated, names of outputs, and words."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from random import Random
from typing import Any

from attacks import corpora, mutations, seeds, values
from attacks.case import Content
from attacks.seeds import Grid
from partwise import types
from partwise.options import TASKS

Words = list[str]


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
    picture: bool = False
    """Whether a chart is drawn, which happens rarely, so that little should go wrong before."""
    saved: bool = False
    """Whether the files are saved scores, of two measures."""
    hostile: bool = False
    """Whether words may be hostile; most commands would not get further than such a word."""

    def draft(self, name: str, content: Grid | bytes) -> str:
        self.drafts.append(Draft(name, content))
        return name

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability


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


def all_chunks(draw: Drawing) -> str:
    """The run itself, whose results are then chunks, or another one."""
    return draw.drafts[-1].name if draw.drafts and draw.chance(0.6) else a_run(draw, "all")


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


def a_document(draw: Drawing) -> str:
    """The id of a document; one outside of the collection if a link leads there."""
    return "link" if "outside.xml" in draw.files else word("a", "a", "b", "s/c", "m", hostile=0.2)(draw)


def scores(draw: Drawing) -> Words:
    """Files of saved scores, some with a record of their provenance."""
    names = []
    for number in range(draw.rng.choice((1, 1, 2))):
        runs_of_file = "abc"[: 3 if draw.picture else draw.rng.randint(1, 3)]
        made = seeds.scores(draw.rng, tuple(f"run{number}{letter}" for letter in runs_of_file))
        names.append(draw.draft(f"s{number}{made.suffix}", made))
        if draw.chance(0.2):
            record = b'{"partwise": "0.1.0", "command": "x", "unit": "chars", "sha256": "0", "inputs": [], "judged": 5}'
            draw.draft(f"{names[-1]}.provenance.json", record)
        elif draw.chance(0.1) and made.suffix == ".tsv":
            draw.files[f"head{number}.tsv"] = b"# partwise: 0.1.0\n# unit: chars\n" + made.bytes()
            names.append(f"head{number}.tsv")
    return names


def files_or_scores(draw: Drawing) -> Words:
    draw.saved = draw.chance(0.95 if draw.picture else 0.7)
    return scores(draw) if draw.saved else [a_qrels(draw), a_run(draw, "r0"), *runs(draw)]


def files_to_gate(draw: Drawing) -> Words:
    """Scores of a baseline and a change, or assessments and two runs."""
    draw.saved = draw.chance(0.7)
    if not draw.saved:
        return [a_qrels(draw), a_run(draw, "r0"), a_run(draw, "r1")]
    made = [seeds.scores(draw.rng, ("run0a",)) for _ in range(2)]
    return [draw.draft(f"{name}{grid.suffix}", grid) for name, grid in zip(("main", "branch"), made, strict=True)]


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
    if rng.random() < 0.2:
        return rng.choice(OTHER_MEASURES)
    name = rng.choice(measure_names())
    parameters = ",".join(rng.choice(PARAMETERS) for _ in range(rng.choice((0, 0, 0, 0, 0, 0, 1, 1, 2))))
    cutoff = rng.choice(("", "", "", "", "@1", "@5", "@5", "@0.5", f"@{values.number(rng)}"))
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
    if draw.saved and rng.random() < 0.9:
        return rng.choice(("iAP", "P@5", "iAP P@5"))
    text = rng.choice((" ", ",", ", ")).join(measure(rng) for _ in range(rng.randint(1, 3)))
    return hostile_word(rng, text) if draw.hostile and rng.random() < 0.3 else text


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
        return hostile_word(draw.rng, chosen) if draw.hostile and draw.chance(2 * hostile) else chosen

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
        if rng.random() < 0.04 and not name.startswith("/"):
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


def chunks_of_run(draw: Drawing) -> str:
    name = values.text(draw.rng) if draw.chance(0.5) else word("run", "a", "bm25")(draw)
    return f"{name}={all_chunks(draw)}"


def navigation(draw: Drawing) -> str:
    return draw.draft("users.json", seeds.graph(draw.rng))


def a_rule(draw: Drawing) -> str:
    """A rule of a gate, of a measure that saved scores have, or of any."""
    of_slice = word("", "", "", "wiki: ", "*: ", hostile=0.05)(draw)
    name = draw.rng.choice(("iAP", "P@5")) if draw.saved or draw.chance(0.5) else measure(draw.rng)
    return f"{of_slice}{name}={word('0.05', '0.5', '0', '1%', hostile=0.2)(draw)}"


def rules(draw: Drawing) -> str:
    kind = draw.rng.choice(("floor", "max-drop", "no-loss", "flor"))
    return draw.draft("rules.toml", f'[gate.{kind}]\n"P@5" = 0.05\n"*: iAP" = "2%"\n'.encode())


def level(draw: Drawing) -> str:
    return word("sections=sec,p", "x=p", "=", "a=,")(draw)


def formats_of(command: str) -> tuple[str, ...]:
    """The output formats of a command."""
    module = import_module(f"partwise.cli.{'comparing' if command in ('compare', 'study') else command}")
    return tuple(module.FORMATS)


def a_format(draw: Drawing) -> str:
    return word(*formats_of(draw.command), hostile=0.05)(draw)


def an_output(draw: Drawing) -> str:
    suffixes = {"table": ".txt", "latex": ".tex", "markdown": ".md", "trec": ".txt"}
    return output(*(suffixes.get(format, f".{format}") for format in formats_of(draw.command)))(draw)


WHOLE = word("1", "2", "3", "10", hostile=0.3)
SHARE = word("0.05", "0.5", "0.95", "1", "0.1", hostile=0.3)
ID = word(*seeds.QUERIES, hostile=0.2)
QUANT = word("spe", "spe", "strict", "gen", "sog")

ARGUMENTS: dict[str, Callable[[Drawing], str | Words | None]] = {
    # files
    "qrels": a_qrels,
    "runs": runs,
    "run_file": a_run,
    "files": files_or_scores,
    "gate files": files_to_gate,
    "names": named_file,
    "collection": a_collection,
    "corpus": a_collection,
    "index source": a_collection,
    "source": source,
    "chunks": from_grid(seeds.chunks, "chunks"),
    "diagnose chunks": all_chunks,
    "report chunks": all_chunks,
    "chunks_of": chunks_of_run,
    "lengths": from_grid(seeds.lengths, "lengths"),
    "queries": from_grid(seeds.queries, "queries"),
    "evaluate queries": from_grid(seeds.sliced_queries, "queries"),
    "gate queries": from_grid(seeds.sliced_queries, "queries"),
    "rules": rules,
    "routes": from_grid(seeds.routes, "routes"),
    "navigation": navigation,
    "graph": navigation,
    "folder": output(""),
    # outputs
    "output": an_output,
    "convert target": output(".run", ".txt", ".xml", ".zip", ".csv", ".tsv", ".jsonl", ".parquet"),
    "locate output": output(".jsonl", ".csv", ".tsv", ".parquet"),
    "index output": output(".parquet"),
    "ideal output": output(".run", ".txt", ".xml", ".csv", ".tsv", ".jsonl", ".parquet"),
    "navigation output": output(".json"),
    "report output": output(".html"),
    "plot": picture,
    "junit": output(".xml"),
    "json": output(".json"),
    # words
    "measures": measures,
    "measure": lambda draw: measure(draw.rng),
    "measures name": lambda draw: measure(draw.rng) if draw.chance(0.8) else word("iAP")(draw),
    "task": word(*TASKS, hostile=0.05),
    "format": a_format,
    "to": word("trec", "inex", "xml", "csv", "tsv", "jsonl", "parquet", "text", hostile=0.1),
    "kind": word(*types.CURVES, hostile=0.05),
    "convert kind": word("run", "assessments", hostile=0.05),
    "convert name": word("tag", "r", "r1"),
    "places": WHOLE,
    "sort": lambda draw: measure(draw.rng),
    "max_unpacked": word("32MiB", "1 MB", "1kB", "0", hostile=0.2),
    "provenance": word("file", "head", "none", hostile=0.05),
    "average_over": word("judged", "run", hostile=0.05),
    "order": word("rank", "score", hostile=0.05),
    "unit": word("chars", "bytes", "utf16", "lines", "tokens", "tokens", hostile=0.05),
    "to_unit": word("chars", "bytes", "utf16", "lines", "tokens", hostile=0.05),
    "tokenizer": word("words", "words", "x.json", "cl100k_base", hostile=0.1),
    "assessor": word("ann", "ben", "3"),
    "run_id": word("stem", "tag", "tag", hostile=0.05),
    "by": word("tag", hostile=0.1),
    "evaluate by": word("tag", "corpus", "hops", "grade", "nugget", "doc:.", "doc:(.)", hostile=0.1),
    "gate by": word("corpus", "hops", "grade", "doc:.", hostile=0.1),
    "bins": WHOLE,
    "floor": a_rule,
    "max-drop": a_rule,
    "no-loss": a_rule,
    "jobs": word("1", "2", "3", hostile=0.3),
    "threads": word("1", "2", hostile=0.2),
    "engine": word("local", hostile=0.1),  # Spark takes seconds to start, and has tests of its own
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
    "doc": a_document,
    "query_id": ID,
    "quant": QUANT,
    "nav": word("depth", "coverage", "distance(A=0.1)", "users", "none", "hierarchy", "summary", hostile=0.3),
    "parts": word("elements", "passages", hostile=0.05),
    "rel": word("binary", "length", "spe", hostile=0.05),
    "match": word("exact", "contains", hostile=0.05),
    "cutoff": word("1", "2", hostile=0.3),
    "locate match": word(*types.MATCHES, hostile=0.05),
    "min_score": word("0.9", "0.5", "1", hostile=0.3),
    "strip_prefix": word("[Document: {any}]", "{doc_id}", "x", "{any}", hostile=0.3),
    "k": WHOLE,
    "budget": word("40", "1000", "0.5", "inf", "nan", hostile=0.3),
    "show": word(*types.ASSESSOR_TABLES, hostile=0.05),
}  # fmt: skip
"""How the value of an argument is drawn, by its name in the parser, with the command before it if that matters."""
