"""One list of options: every entry point accepts all of them and passes them on."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import partwise as pw
from partwise.cli import main
from partwise.engines import local
from partwise.engines import spark as engine
from partwise.evaluation import Evaluation
from partwise.options import FIELDS, TASKS, Options
from partwise.presets import TASKS as PRESETS

OPTIONS = Options(
    task="rag",
    average_over="run",
    order="score",
    unit="tokens",
    tokenizer="words",
    assessor="ann",
    lengths="lengths.tsv",
    collection="articles",
    navigation=["users.json", "others.json"],
    run_id="tag",
    lenient=True,
    jobs=3,
)
"""Every option with a value that is not its default."""

QRELS = [
    {"query_id": "q1", "doc_id": "d", "start": 0, "end": 10, "assessor": "ann"},
    {"query_id": "q1", "doc_id": "d", "start": 0, "end": 5, "assessor": "bob"},
    {"query_id": "q2", "doc_id": "d", "start": 0, "end": 10, "assessor": "ann"},
]
RUN = {"q1": [("d", 0, 10)]}


def test_every_option_has_a_test_value() -> None:
    assert OPTIONS.given().keys() == FIELDS.keys()
    assert Options().given() == {}
    assert all(of_option.metadata["help"] for of_option in FIELDS.values())


def test_tasks_are_those_of_the_presets() -> None:
    assert tuple(PRESETS) == TASKS


@pytest.mark.parametrize(
    ("function", "lacks"),
    [
        (pw.Evaluator.__init__, set()),
        (pw.evaluate, set()),
        (pw.write_report, set()),
        (pw.compare, {"jobs"}),  # its own are those of the tests
        (engine.evaluate, {"run_id", "jobs"}),  # a DataFrame names its runs, Spark has its own threads
    ],
)
def test_functions_have_the_options_with_their_types_and_defaults(
    function: Callable[..., Any], lacks: set[str]
) -> None:
    there = inspect.signature(function).parameters
    for name, of_option in FIELDS.items():
        if name not in lacks:
            parameter = there[name]
            assert (parameter.kind, parameter.default) == (parameter.KEYWORD_ONLY, of_option.default), name
            assert parameter.annotation == of_option.type, name


@pytest.mark.parametrize(
    ("options", "line"),
    [
        ({"task": "x"}, f"task is 'x'; it must be one of {', '.join(TASKS)}"),
        ({"average_over": "all"}, "average_over is 'all'; it must be one of judged, run"),
        ({"average_over": None}, "average_over is 'None'; it must be one of judged, run"),
        ({"order": "x"}, "order is 'x'; it must be one of rank, score"),
        ({"unit": "words"}, "unit is 'words'; it must be one of chars, bytes, utf16, tokens, lines, seconds"),
        ({"run_id": "x"}, "run_id is 'x'; it must be one of stem, tag"),
        ({"jobs": 0}, "jobs is '0'; it must be a whole number from 1"),
        ({"jobs": True}, "jobs is 'True'; it must be a whole number from 1"),
    ],
)
def test_wrong_options(options: dict[str, Any], line: str) -> None:
    for ask in (lambda: Options(**options), lambda: pw.Evaluator(QRELS, "TextP", **options)):
        with pytest.raises(pw.PartwiseError) as error:
            ask()
        assert str(error.value) == line


# ---- from every entry to the evaluation -------------------------------------------------------------------------


class Arrived(Exception):
    """Carries the options of an evaluation."""

    def __init__(self, options: Options) -> None:
        self.options = options


@pytest.fixture
def stopped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Instead of an evaluation its options are raised."""

    def from_options(qrels: Any, measures: Any, options: Options, *more: Any) -> Evaluation:
        raise Arrived(options)

    monkeypatch.setattr(Evaluation, "from_options", from_options)


def expected(lacks: set[str]) -> Options:
    return Options(**{name: value for name, value in OPTIONS.given().items() if name not in lacks})


def arrived(ask: Callable[[], Any]) -> Options:
    with pytest.raises(Arrived) as caught:
        ask()
    return caught.value.options


def words(lacks: set[str]) -> list[str]:
    """The options as a user types them."""
    typed = []
    for name, value in expected(lacks).given().items():
        for one in value if isinstance(value, list) else [value]:
            typed += [f"--{name.replace('_', '-')}"] if one is True else [f"--{name.replace('_', '-')}", str(one)]
    return typed


@pytest.mark.usefixtures("stopped")
def test_from_python(tmp_path: Path) -> None:
    options = OPTIONS.given()
    without_jobs = {name: value for name, value in options.items() if name != "jobs"}
    assert arrived(lambda: pw.Evaluator(QRELS, "iAP", **options)) == OPTIONS
    assert arrived(lambda: pw.evaluate(QRELS, RUN, "iAP", **options)) == OPTIONS
    assert arrived(lambda: pw.write_report(QRELS, RUN, tmp_path / "r.html", "iAP", **options)) == OPTIONS
    assert arrived(lambda: pw.compare(QRELS, RUN, "iAP", **without_jobs)) == expected({"jobs"})


@pytest.mark.usefixtures("stopped")
@pytest.mark.parametrize(
    ("command", "lacks"),
    [
        (["evaluate"], set()),
        (["evaluate", "--engine", "local"], set()),
        (["evaluate", "--by", "tag"], set()),
        (["report"], set()),
        (["compare"], {"jobs"}),
        (["gate", "--floor", "iAP=0"], {"jobs", "task"}),  # its rules name the measures
        (["study", "agreement"], {"jobs"}),
        (["study", "error-rate"], {"jobs"}),
        (["study", "queries"], {"jobs"}),
        (["study", "power"], {"jobs"}),
        (["study", "assessors"], {"jobs"}),
        (["study", "perturb"], {"jobs"}),
        (["study", "curves"], {"jobs", "task"}),  # a curve has its own measures
    ],
    ids=lambda value: " ".join(sorted(value) if isinstance(value, set) else value),
)
def test_from_the_command_line(command: list[str], lacks: set[str], tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels.txt", tmp_path / "a.run"
    qrels.write_text("t1 Q0 d1 5 100 10 10:5\n")
    run.write_text("t1 Q0 d1 1 0.9 tag 10 5\n")
    assert arrived(lambda: main([*command, str(qrels), str(run), *words(lacks)])) == expected(lacks)


@pytest.mark.usefixtures("stopped")
def test_from_the_command_line_on_spark(tmp_path: Path) -> None:
    assert arrived(lambda: main(["evaluate", "--engine", "spark", "q.txt", "a.parquet", *words(set())])) == OPTIONS


@pytest.mark.usefixtures("stopped")
def test_from_data_frames(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a stand-in for Spark: the options are passed on before Spark is used."""

    class DataFrame:
        columns = ("run_id", "query_id", "doc_id", "rank")

    for name in ("pyspark", "pyspark.sql", "pandas"):
        module = ModuleType(name)
        module.DataFrame = DataFrame  # type: ignore[attr-defined]
        module.functions = None  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, name, module)
    options = expected({"run_id", "jobs"})
    assert arrived(lambda: engine.evaluate(QRELS, DataFrame(), "iAP", **options.given())) == options
    assert arrived(lambda: engine.notes(QRELS, DataFrame(), "iAP", mean=True, **options.given())) == options


# ---- what an evaluation makes of them ----------------------------------------------------------------------------


def test_an_evaluation_keeps_its_options() -> None:
    collection = pw.Collection.open({"d": "Twenty characters..."})
    graph = pw.learn_navigation([{"route": ["article", "sec"]}], by="tag")
    options = Options(
        average_over="run",
        order="score",
        unit="bytes",
        assessor="bob",
        lengths={"d": 20},
        collection=collection,
        navigation={"users": graph},
    )
    evaluation = Evaluation.from_options(QRELS, "TextR", options, [])
    assert (evaluation.average_over, evaluation.order) == ("run", "score")
    judgements = evaluation.judgements
    assert judgements.assessments.unit == "bytes"
    assert judgements.highlighted.tolist()[0] == 5
    assert judgements.collection is not None
    assert judgements.collection.in_unit("chars").source is collection.source
    assert "users" in judgements.navigation
    assert Evaluation.from_options(QRELS, None, Options(lengths={"d": 20}), []).judgements.lengths == {"d": 20}
    by_task = Evaluation.from_options(QRELS, "iP@0.5", Options(task="focused"), []).measures
    assert [measure.name for measure in by_task] == ["iP@0", "iP@0.01", "iP@0.05", "iP@0.1", "iAP", "iP@0.5"]


def test_bad_rows_are_skipped_and_noted() -> None:
    bad = [*QRELS, {"query_id": "q1", "doc_id": "d", "start": 9, "end": 1}]
    line = "qrels, row 4: the end 1 is before the start 9; it must be at least the start"
    with pytest.raises(pw.PartwiseError) as error:
        Evaluation.from_options(bad, "TextP", Options(), [])
    assert str(error.value) == line
    notes: list[str] = []
    Evaluation.from_options(bad, "TextP", Options(lenient=True), notes)
    assert notes == [f"qrels: 1 bad line skipped, the first: {line}"]


def test_an_evaluator_uses_its_run_id_and_jobs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "file.run"
    path.write_text("q1 Q0 d 1 0.5 mine\n")
    evaluator = pw.Evaluator(QRELS, "TextP", lengths={"d": 20}, run_id="tag", jobs=2)
    assert evaluator.evaluate(path).run_ids == ["mine"]
    assert evaluator.evaluate(path, run_id="stem").run_ids == ["file"]
    assert [run.run_id for run in evaluator.read(path)] == ["mine"]
    assert {row["run"] for row in pw.study.assessors(evaluator, path).spread()} == {"mine"}
    assert {row["run_id"] for row in pw.study.perturb(evaluator, path, counts=[1]).rows()} == {"mine"}
    assert {row["run_id"] for row in pw.study.perturb(evaluator, path, counts=[1], run_id="stem").rows()} == {"file"}
    jobs = []
    monkeypatch.setattr(local, "evaluate", lambda *arguments: jobs.append(arguments[4]) or pw.Scores([], 0))
    evaluator.evaluate(path)
    evaluator.evaluate(path, jobs=5)
    assert jobs == [2, 5]
