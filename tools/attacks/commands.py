"""Command lines: every command with most of its options, on valid and mutated files.

The options come from the parser of partwise itself; `ARGUMENTS` says how the value of each is drawn. An option that is
new and has no entry there is an error of the attack, and a test.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from functools import cache
from random import Random
from typing import Any

from attacks import mutations, seeds, values
from attacks.arguments import ARGUMENTS, Draft, Drawing, Words, word
from attacks.case import Case, Content
from attacks.seeds import Grid

WEIGHTS = {
    "evaluate": 300, "check": 120, "convert": 180, "locate": 60, "index": 40, "tree": 40, "ideal": 30, "explain": 50,
    "diagnose": 50, "navigation": 40, "measures": 15, "compare": 50, "gate": 50, "study": 60, "report": 2, "demo": 0.3,
}  # fmt: skip
"""How often a command is drawn; those that take long are rare."""
PICTURES = 0.05
"""How often a command that can draw a chart does; a chart takes as long as a hundred other cases."""

RARE = {
    "jobs": 0.1, "output": 0.3, "measures": 0.6, "names": 0.1, "assessor": 0.01, "engine": 0.005,
    "master": 0.005, "by": 0.05, "task": 0.05, "name": 0.03, "grades": 0.03, "spans": 0.08, "lenient": 0.15,
    "provenance": 0.03, "sort": 0.05, "transpose": 0.05, "chunks": 0.6, "k": 0.85, "budget": 0.1,
}  # fmt: skip
"""How often an option is given, if not as often as the others."""
OF_PICTURES = ("plot", "output", "trials", "names", "collection")
"""The options of a command that draws a chart."""
IDS = ("run_id", "run_id", "query_id", "doc_id", "measure", "assessor")
NEEDS_DOCUMENTS = ("elements", "trees", "ranges", "paths")
FITTING = (
    ("documents", "grades"), ("spans", "passages"), ("offsets", "passages"), ("several", "assessors"),
    ("elements", "elements"), ("elements", "passages"), ("trees", "trees"), ("ranges", "paths"),
    ("entry points", "beps"), ("spans", "beps"), ("elements", "trees"),
)  # fmt: skip
"""Kinds of runs and assessments that measures can compare."""
TRIALS = word("20", "5", hostile=0.01)
"""Drawn always, because the default takes long; a hostile number is a long wait that was asked for."""


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
    kinds = rng.choice((*seeds.RUN_KINDS, "windows")), rng.choice((*seeds.QRELS_KINDS, "windows"))
    draw = Drawing(rng, chosen, *kinds, hostile=rng.random() < 0.2)
    if rng.random() < 0.5:  # so that they fit each other, whatever is measured
        draw.run_kind, draw.qrels_kind = rng.choice(FITTING)
    line: Words = []
    actions = interface()[words]
    draw.picture = any(action.dest == "plot" for action in actions) and rng.random() < PICTURES
    if draw.picture:
        draw.hostile = False
        actions = [action for action in actions if action.dest in OF_PICTURES or not action.option_strings]
    options = [action for action in actions if action.option_strings]
    positional = [action for action in actions if not action.option_strings]
    for action in positional:
        if action.nargs != "?" or rng.random() < 0.9:
            line += values_of(draw, action)
    needs = {draw.run_kind, draw.qrels_kind} & set(NEEDS_DOCUMENTS)
    for action in options:
        probability = RARE.get(action.dest, 2.0 / len(options))
        if action.required or (action.dest == "collection" and needs):
            probability = 0.97
        elif action.dest == "measures" and words[-1] == "curves":
            probability = 0.02
        elif action.dest == "plot":
            probability = 1.0 if draw.picture else 0.0
        elif action.dest == "assessor" and draw.qrels_kind == "assessors":
            probability = 0.5
        elif action.dest == "query_id":
            probability = 0.8
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
    new = values.name(rng)
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
    is_markup = name.endswith(".xml") and data.startswith(b"<")
    if (0.4 if is_markup else 0.7) <= level < 0.85:
        data = mutations.markup(rng, data) if is_markup and rng.random() < 0.7 else mutations.raw(rng, data)
    elif 0.85 <= level < 0.95 or (not mutate and rng.random() < 0.05):
        suffix, data = mutations.compressed(rng, data)
        name += suffix
    elif level >= 0.95 and rng.random() < 0.04:
        suffix = rng.choice(list(mutations.COMPRESS))
        name, data = name + suffix, mutations.bomb(suffix)
    return data, name
