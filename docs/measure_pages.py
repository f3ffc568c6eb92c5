"""The pages of measures and of the values of their parameters, from classes, docstrings and partwise.reference."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Sequence
from typing import Any

from pictures import picture
from worked import Example, calculated, shown

from partwise import reference
from partwise.api.catalogue import value_classes
from partwise.measures import documents, families
from partwise.measures.base import Measure
from partwise.parameters import Param, Parameterised, format_value
from partwise.reference import Entry
from partwise.relevance.quantise import FOUR_POINT, UNIT, fitting, quantised
from partwise.tokens import tokenizer

PICTURED_PASSAGES = {"PartHit", "PartRR", "PartP", "PartR", "PartAP", "PartnDCG", "NuggetR", "AllFound", "AspectAP"}
"""Measures whose pictures say which passages a result finds; those of others count characters."""


def escaped(text: str) -> str:
    """Prose in which formulas stay as they are; text in backticks is left alone."""
    parts = re.split(r"(``?[^`]+``?)", text)
    return "".join(p if p.startswith("`") else re.sub(r"([*_<>|\[\]\\$])", r"\\\1", p) for p in parts)


def described(docstring: str) -> str:
    """A docstring as Markdown: examples become blocks of code, everything else is prose."""
    blocks = inspect.cleandoc(docstring).split("\n\n")
    return "\n\n".join(f"```python\n{b}\n```" if b.startswith(">>> ") else escaped(b) for b in blocks)


def is_formula(name: str, paragraph: str) -> bool:
    """Whether a paragraph of a docstring is the formula, which pages of the site typeset."""
    return re.match(rf"{name}(@\w)? = ", paragraph) is not None


def folder(entry: Entry) -> str:
    """The folder of the page of an entry."""
    return "measures" if entry.kind == "measure" else entry.kind.replace(" ", "-") + "s"


def address(name: str, entry: Entry) -> str:
    """The page of a similar measure or value, relative to that of an entry; empty if it is a document measure."""
    if entry.kind != "measure" and name in {
        other.name for file in reference.KINDS for other in _same_kind(entry, file)
    }:
        return f"{name}.md"
    found = [kind for kinds in families().values() for kind in kinds if kind.__name__ == name]
    if found:
        return f"{name}.md" if entry.kind == "measure" else f"../measures/{name}.md"
    return ""


def _same_kind(entry: Entry, file: str) -> list[Entry]:
    return list(reference.entries(file).values()) if reference.KINDS[file] == entry.kind else []


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}", *(f"| {' | '.join(row)} |" for row in rows), ""]


def _default(param: Param[object]) -> str:
    if param.required:
        return "required"
    return "" if param.default is None else f"`{format_value(param.default)}`"


def _parameters(kind: type[Parameterised]) -> list[str]:
    rows = [
        (
            f"`{'@' * param.at}{param.name}`",
            escaped(param.expected()),
            _default(param),
            escaped(param.help),
        )
        for param in kind.params.values()
    ]
    return ["## Parameters", "", *_table(("parameter", "value", "default", "meaning"), rows)] if rows else []


def _behaviour(entry: Entry) -> list[str]:
    if not entry.behaviour:
        return []
    rows = [
        (escaped(reference.SITUATIONS[key]), escaped(reference.OUTCOMES[outcome]), escaped(reason))
        for key, (outcome, reason) in entry.behaviour.items()
    ]
    return ["## What happens if", "", *_table(("if", "then", "because"), rows)]


def _similar(entry: Entry) -> list[str]:
    rows = []
    for name, when in entry.similar:
        link = address(name, entry)
        rows.append((f"[{name}]({link})" if link else f"`{name}`", escaped(when)))
    return ["## Similar, and when to prefer it", "", *_table(("instead", "when"), rows)]


def _papers(names: Sequence[str]) -> list[str]:
    cited = []
    for name in names:
        paper = reference.papers().get(name)
        if paper is None:
            cited.append("Defined by partwise; no paper has it in this form.")
            continue
        link = f"https://doi.org/{paper['doi']}" if "doi" in paper else paper.get("url", "")
        name = f"doi:{paper['doi']}" if "doi" in paper else link
        cited.append(escaped(paper["reference"]) + (f" [{escaped(name)}]({link})" if link else ""))
    return ["## Paper", "", *(f"- {line}" for line in cited), ""]


def _code(example: Example, entry: Entry) -> list[str]:
    """The example in Python, with what it prints."""
    rows = [json.dumps({key: value for key, value in row.items() if key != "bep" or "BEP" in entry.show})
            for row in example.gold]  # fmt: skip
    code = ["import partwise as pw", "gold = ["] + [f"    {row}," for row in rows] + ["]"]
    code += [f"run = {_run(example)}"]
    options = ""
    if example.nodes:
        code += [ARTICLE]
        options = ', collection={"article": article}'
    elif entry.name in ("T2I", "T2IAP") or "distance" in entry.show:
        options = f", lengths={json.dumps(example.lengths)}"
    lines = [
        ("... " if line.startswith((" ", "]", "}")) else ">>> ") + line for part in code for line in part.split("\n")
    ]
    lines += [f'>>> pw.evaluate(gold, run, "{entry.show}"{options}).mean()["run"]']
    return lines


def _run(example: Example) -> str:
    def result(part: list[Any]) -> str:
        return (
            json.dumps({"doc_id": part[0], "path": part[1]}) if len(part) == 2 else str(tuple(part)).replace("'", '"')
        )

    lists = [
        f'    "{query}": [\n' + "".join(f"        {result(part)},\n" for part in parts) + "    ],\n"
        for query, parts in example.run.items()
    ]
    return "{\n" + "".join(lists) + "}"


ARTICLE = """text = 100 * "x"
article = f"<article><sec><p>{text}</p><p>{text}</p></sec><sec><p>{text}{text}</p></sec></article>\""""
"""The document of the example with elements, in Python."""


def _worked(entry: Entry) -> list[str]:
    """The worked example: what it is about, the picture, the calculation, and the number that partwise prints."""
    example = Example(entry.example)
    value = shown(entry)
    if value is None or abs(value - calculated(entry.working)) > 1e-9:
        raise SystemExit(f"{entry.name}: {entry.show} is {value}, but its page calculates {entry.working}")
    name = f"{example.name}-passages" if entry.name in PICTURED_PASSAGES else example.name
    result = f"{value:.4f}" if abs(value - round(value)) > 1e-9 else f"{value:.0f}"
    lines = ["## A worked example", "", example.about, "", f"![{example.title}](../pictures/{name}.svg)", ""]
    lines += [escaped(entry.because), "", "```text", f"{entry.show} = {entry.working}"]
    lines += [f"= {result}"] if result != entry.working else []
    lines += ["```", ""]
    if entry.file is None:
        lines += ["<details><summary>In Python</summary>", "", "```python", *_code(example, entry)]
        lines += [repr({_full_name(entry, example): value}), "```", "", "</details>", ""]
    else:
        lines += [f"The file `{entry.file[0]}`:", "", "```text", entry.file[1].rstrip(), "```", ""]
    return lines


def _full_name(entry: Entry, example: Example) -> str:
    import partwise as pw

    lengths = None if example.nodes else example.lengths
    rows = {query: [{"doc_id": r[0], "path": r[1]} if len(r) == 2 else tuple(r) for r in results]
            for query, results in example.run.items()}  # fmt: skip
    scores = pw.evaluate(example.gold, rows, entry.show, lengths=lengths, collection=example.collection)
    return next(iter(scores.mean()["run"]))


def measure_page(kind: type[Measure]) -> str:
    """The page of one measure."""
    entry = reference.of_measure(kind)
    if entry is None:
        raise SystemExit(f"{kind.__name__} has no entry in src/partwise/reference")
    first, *rest = inspect.cleandoc(kind.__doc__ or "").split("\n\n")
    lines = [f"# {kind.__name__}", "", f"`{kind.signature()}`", "", escaped(first), ""]
    lines += ["## Definition", "", "```{math}", entry.formula, "```", ""]
    lines += [entry.symbols, ""] if entry.symbols else []
    prose = [paragraph for paragraph in rest if not is_formula(kind.__name__, paragraph)]
    first_code = next((number for number, text in enumerate(prose) if text.startswith(">>> ")), len(prose) + 1)
    defined, smaller = prose[: first_code - 1], prose[first_code - 1 :]
    lines += [described("\n\n".join(defined)), ""] if defined else []
    lines += ["## What it means", "", escaped(entry.meaning), ""]
    lines += [f"- **Range**: {escaped(entry.range)}. Better: {kind.better}.", f"- **Needs**: {escaped(entry.needs)}"]
    lines += [f"- **Also called**: {', '.join(f'`{name}`' for name in kind.aliases)}."] if kind.aliases else []
    lines += ["", *_worked(entry)]
    lines += ["A smaller example. " + described("\n\n".join(smaller)), ""] if smaller else []
    lines += [*_parameters(kind), *_behaviour(entry), *_similar(entry)]
    return "\n".join([*lines, *_papers([kind.paper, *entry.papers])])


def value_page(entry: Entry) -> str:
    """The page of a value of a parameter."""
    kind = value_classes().get(entry.kind, {}).get(entry.name)
    lines = [f"# {entry.name}", "", f"A {entry.kind}: a value of `{entry.parameter}`.", ""]
    if entry.formula:
        lines += ["## Definition", "", "```{math}", entry.formula, "```", ""]
        lines += [entry.symbols, ""] if entry.symbols else []
    else:
        lines += ["## Definition", "", escaped(entry.text), ""]
    if kind is not None and not entry.text:
        lines += [described(kind.__doc__ or ""), ""]
    lines += ["## What it means", "", escaped(entry.meaning), ""]
    lines += [f"- **Range**: {escaped(entry.range)}.", f"- **Needs**: {escaped(entry.needs)}", ""]
    if entry.show:
        lines += _worked(entry)
    else:
        lines += ["## A worked example", "", *_computed(entry), escaped(entry.because), ""]
    lines += _parameters(kind) if kind is not None else []
    lines += [*_behaviour(entry), *_similar(entry)]
    return "\n".join([*lines, *_papers(entry.papers)])


def _computed(entry: Entry) -> list[str]:
    """What a quantisation or a tokenizer does, from the code."""
    import numpy as np

    if entry.kind == "quantisation":
        four_points = entry.name in fitting(FOUR_POINT) and entry.name not in fitting(UNIT)
        grades = [0.0, 1.0, 2.0, 3.0] if four_points else [0.0, 0.25, 0.5, 1.0]
        scale = FOUR_POINT if four_points else UNIT
        head = ["exhaustivity", *(f"specificity {format_value(s)}" for s in grades)]
        rows = []
        for e in grades:
            values = quantised(entry.name, scale, np.full(len(grades), e), np.array(grades))
            rows.append([format_value(e), *(f"{value:.4g}" for value in values.tolist())])
        return _table(head, rows)
    if entry.sample:
        starts, ends = tokenizer(entry.name).spans(entry.sample)
        tokens = [entry.sample[a:b] for a, b in zip(starts.tolist(), ends.tolist(), strict=True)]
        return [f"`{entry.sample}` has {len(tokens)} tokens: {' '.join(f'`{token}`' for token in tokens)}", ""]
    return []


def index_page() -> str:
    """All measures by family, ours and those of ir_measures, and the values of their parameters."""
    lines = ["# Measures", "", "What `partwise measures` lists; `partwise measures NAME` shows the page of one.", ""]
    for family, kinds in families().items():
        lines += [f"## {family.capitalize()}", ""]
        rows = [(f"[{kind.__name__}](measures/{kind.__name__}.md)", escaped(kind.summary())) for kind in kinds]
        lines += _table(("measure", "meaning"), rows)
    lines += ["## Documents", "", "Every measure of ir_measures, on the documents of the run.", ""]
    lines += _table(("measure", "meaning"), [(f"`{n}`", escaped(meaning)) for n, _, meaning, _ in documents.listed()])
    names = [f"measures/{kind.__name__}" for kinds in families().values() for kind in kinds]
    lines += ["```{toctree}", ":hidden:", "", *names, "```", ""]
    return "\n".join(lines)


def values_page() -> str:
    """All values of parameters that have pages."""
    lines = ["# Values of parameters", "", "Functions and models that measures take as parameters.", ""]
    names = []
    for file in reference.KINDS:
        found = list(reference.entries(file).values())
        lines += [f"## {found[0].title}", "", f"The parameter `{found[0].parameter}`.", ""]
        rows = [(f"[{entry.name}]({folder(entry)}/{entry.name}.md)", escaped(entry.meaning)) for entry in found]
        lines += _table(("value", "meaning"), rows)
        names += [f"{folder(entry)}/{entry.name}" for entry in found]
    return "\n".join([*lines, "```{toctree}", ":hidden:", "", *names, "```", ""])


def pages() -> dict[str, str]:
    """The pages of measures and values, their lists, and the pictures."""
    made = {"measures.md": index_page(), "values.md": values_page()}
    for kinds in families().values():
        made.update({f"measures/{kind.__name__}.md": measure_page(kind) for kind in kinds})
    for file in reference.KINDS:
        made.update(
            {f"{folder(entry)}/{entry.name}.md": value_page(entry) for entry in reference.entries(file).values()}
        )
    return made


def drawings() -> dict[str, str]:
    """The pictures of the worked examples, by path."""
    examples = [Example(name) for name in reference.examples()]
    plain = {f"pictures/{example.name}.svg": picture(example, False) for example in examples}
    return plain | {f"pictures/{example.name}-passages.svg": picture(example, True) for example in examples}
