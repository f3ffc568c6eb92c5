"""INEX XML: submissions and assessments of every year, alone, in folders and in archives, and their errors."""

from __future__ import annotations

import gzip
import io
import tarfile
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

import partwise as pw
from partwise.cli import main
from partwise.formats.assessments import assessment_rows
from partwise.formats.runs import run_rows
from partwise.model import TO_END
from support.inex import DOCUMENT, HEAD, OF_2004, OF_2006, PASSAGE_RUN, pools, result, submission, topic


def read(tmp_path: Path, content: str | bytes, name: str = "a.xml") -> pw.Run:
    (tmp_path / name).write_bytes(content.encode() if isinstance(content, str) else content)
    [run] = pw.read_runs(tmp_path / name)
    return run


def rows(run: pw.Run) -> list[dict[str, object]]:
    return run_rows(run)


def judged(assessments: pw.Assessments) -> list[dict[str, object]]:
    return assessment_rows(assessments)


# ---- submissions --------------------------------------------------------------------------------------------


def test_a_submission(tmp_path: Path) -> None:
    content = submission(
        topic(
            "163",
            "<result>\n <file> co/2001/r7022 </file>\n <path>/article[1]/bdy[1]/sec[6]</path>"
            "\n <rank>1</rank>\n <rsv>0.92</rsv>\n</result>",
            result("<file>x</file>", "<path>/a[1]/b[1]</path><path>/a[1]/c[2]</path>", "<rank>2</rank><rsv>.5</rsv>"),
        ),
        "<topic topic-id='164'>"
        + result("<file>y</file><passage start='/a[1]/p[3]/text()[1].10' end='/a[1]/p[4]/text()[1].25'/><rank>1</rank>")
        + result('<file>y</file><fol offset="10" length="5"/><rank>2</rank>')
        + result("<file>z</file><rank>3</rank>")
        + "</topic>",
    )
    run = read(tmp_path, content)
    assert rows(run) == [
        {"query_id": "163", "doc_id": "co/2001/r7022", "rank": 1, "score": 0.92, "run_id": "a",
         "path": "/article[1]/bdy[1]/sec[6]"},
        {"query_id": "163", "doc_id": "x", "rank": 2, "score": 0.5, "run_id": "a",
         "paths": ["/a[1]/b[1]", "/a[1]/c[2]"]},
        {"query_id": "164", "doc_id": "y", "rank": 1, "score": None, "run_id": "a",
         "path": "/a[1]/p[3]/text()[1].10 /a[1]/p[4]/text()[1].25"},
        {"query_id": "164", "doc_id": "y", "rank": 2, "score": None, "run_id": "a", "start": 10, "end": 15},
        {"query_id": "164", "doc_id": "z", "rank": 3, "score": None, "run_id": "a"},
    ]  # fmt: skip
    assert run.end.tolist() == [15, TO_END]
    assert run.lines is not None
    assert run.lines.tolist() == [7, 13, 14, 14, 14]


@pytest.mark.parametrize(
    ("fields", "order"),
    [
        (("<rank>2</rank>", "<rank>1</rank>"), ["b", "a"]),
        (("<rsv>0.1</rsv>", "<rsv>0.2</rsv>"), ["b", "a"]),
        (("<rank>1</rank><rsv>0.1</rsv>", "<rank>2</rank><rsv>0.2</rsv>"), ["a", "b"]),
        (("", ""), ["a", "b"]),
    ],
    ids=["rank", "rsv", "rank before rsv", "neither"],
)
def test_order_of_results(tmp_path: Path, fields: tuple[str, str], order: list[str]) -> None:
    results = [
        result(f"<file>{doc}</file><fol offset='0' length='1'/>", more) for doc, more in zip("ab", fields, strict=True)
    ]
    (tmp_path / "a.xml").write_text(submission(topic("t", *results)))
    for rank, doc in enumerate(order, 1):
        assert pw.evaluate({"t": {doc: 1}}, tmp_path / "a.xml", "RR").mean() == {"a": {"RR": 1 / rank}}


def test_runs_are_named_by_file_or_run_id(tmp_path: Path) -> None:
    (tmp_path / "a.xml").write_text(submission(topic("t", result("<file>d</file>"))))
    qrels = {"t": {"d": 1}}
    assert pw.evaluate(qrels, tmp_path / "a.xml", "RR").run_ids == ["a"]
    assert pw.evaluate(qrels, tmp_path / "a.xml", "RR", run_id="tag").run_ids == ["ours"]


@pytest.mark.parametrize("name", ["a", "a.run", "a.txt", "a.csv"])
def test_xml_is_detected_by_its_content(tmp_path: Path, name: str) -> None:
    assert rows(read(tmp_path, submission(topic("t", result("<file>d</file>"))), name))[0]["doc_id"] == "d"


def test_encodings_and_compression(tmp_path: Path) -> None:
    content = submission(topic("t", result("<file>bj\u00f6rk</file>")))
    for encoding in ("UTF-8", "ISO-8859-1", "windows-1252"):
        data = content.replace("UTF-8", encoding).encode(encoding)
        assert rows(read(tmp_path, data))[0]["doc_id"] == "bj\u00f6rk"
        assert rows(read(tmp_path, gzip.compress(data), "b.xml.gz"))[0]["doc_id"] == "bj\u00f6rk"
    assert rows(read(tmp_path, b"\xef\xbb\xbf" + content.encode()))[0]["doc_id"] == "bj\u00f6rk"


def test_no_other_file_is_opened(tmp_path: Path) -> None:
    """The DTD that a file names is never loaded, whether it exists or not; external entities are refused."""
    (tmp_path / "secret").write_text("SECRET")
    for system in ("nowhere.dtd", (tmp_path / "secret").as_uri(), str(tmp_path / "secret"), "http://127.0.0.1:9/x.dtd"):
        head = HEAD.replace("inex-submission.dtd", system)
        assert rows(read(tmp_path, submission(topic("t", result("<file>d</file>")), head=head)))[0]["doc_id"] == "d"
    declared = f'<!DOCTYPE inex-submission [<!ENTITY x SYSTEM "{(tmp_path / "secret").as_uri()}">]>'
    head = HEAD.replace('<!DOCTYPE inex-submission SYSTEM "inex-submission.dtd">', declared).replace("&eacute;", "")
    with pytest.raises(pw.PartwiseError, match="declares the entity 'x', which is not supported"):
        read(tmp_path, submission(topic("t", result("<file>d&x;</file>")), head=head))


def test_line_numbers_of_long_files(tmp_path: Path) -> None:
    many = [result("<file>d</file><rank>1</rank>") for _ in range(70_000)]
    many.append(result("<file>d</file><rank>one</rank>"))
    with pytest.raises(pw.PartwiseError, match=r"a\.xml:70007: the rank is 'one'; it must be a whole number from 0"):
        read(tmp_path, submission(topic("t", *many)))


# ---- assessments --------------------------------------------------------------------------------------------


def assess(tmp_path: Path, content: str, name: str = "q.xml") -> pw.Assessments:
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_text(content)
    return pw.read_assessments(tmp_path / name)


def test_assessments_of_2003_and_2004(tmp_path: Path) -> None:
    common = {"query_id": "163", "doc_id": "co/2001/r7022", "scale": "four-point"}
    assert judged(assess(tmp_path, OF_2004)) == [
        {**common, "path": "/article[1]", "exhaustivity": 3.0, "specificity": 2.0},
        {**common, "path": "/article[1]/bdy[1]", "exhaustivity": 0.0, "specificity": 0.0},
        {"query_id": "163", "doc_id": "co/2001/r1", "scale": "four-point"},
    ]


@pytest.mark.parametrize(
    "attributes", ['topic="163"', "topic='12 163'", 'pool="1" topic-id="163"', 'participant-id="9" id="163"']
)
def test_attributes_with_the_topic(tmp_path: Path, attributes: str) -> None:
    assert list(assess(tmp_path, OF_2004.replace('topic="163"', attributes)).queries) == ["163"]


def test_assessments_of_2002(tmp_path: Path) -> None:
    grades = ["3E", "2E", "1E", "3S", "2L", "1S", "0N"]
    paths = [f'<path path="/a[{i}]" relevance="{grade}"/>' for i, grade in enumerate(grades, 1)]
    assessments = assess(tmp_path, f'<assessments topic="1"><file file="d">{"".join(paths)}</file></assessments>')
    elements = assessments.elements
    assert elements.exhaustivity.tolist() == [3, 2, 1, 3, 2, 1, 0]
    assert elements.specificity.tolist() == [3, 3, 3, 2, 1, 2, 0]
    assert assessments.scale == "four-point"
    from partwise.relevance.quantise import quantised

    values = quantised("gen", "four-point", elements.exhaustivity, elements.specificity)
    assert values.tolist() == [1, 0.75, 0.5, 0.75, 0.5, 0.25, 0]  # the generalised quantisation of 2002


def test_assessments_of_2005_and_2006(tmp_path: Path) -> None:
    assessments = assess(tmp_path, OF_2006.format(pool=35, topic=7))
    bep = "/article[1]/bdy[1]/p[1]/text()[1].6"
    common = {"query_id": "7", "doc_id": "d", "assessor": "35", "bep_path": bep, "scale": "inex2005"}
    paths = ["/article[1]", "/article[1]/bdy[1]", "/article[1]/bdy[1]/p[1]", "/article[1]/bdy[1]/p[2]"]
    grades = [(2.0, 9 / 25), (2.0, 9 / 25), (2.0, 0.4), (0.0, 5 / 15)]
    assert judged(assessments) == [
        {**common, "start_path": bep, "end_path": "/article[1]/bdy[1]/p[2]/text()[1].5"},
        *(
            {**common, "path": path, "exhaustivity": e, "specificity": s}
            for path, (e, s) in zip(paths, grades, strict=True)
        ),
        {"query_id": "7", "doc_id": "e", "assessor": "35", "scale": "inex2005"},
    ]


def zipped(folder: Path, path: Path) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for file in sorted(folder.rglob("*.*"), reverse=True):
            archive.write(file, file.relative_to(folder))
    return path


def tarred(folder: Path, path: Path) -> Path:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w") as archive:
        for file in sorted(folder.rglob("*.*"), reverse=True):
            archive.add(file, f"adhoc/{file.relative_to(folder)}")
    path.write_bytes(gzip.compress(data.getvalue()))
    return path


def test_a_folder_an_archive_and_several_files_are_read_together(tmp_path: Path) -> None:
    folder = pools(tmp_path / "q")
    several = [folder / "main/topic-7/pool-2.xml", folder / "main/topic-8/p.xml", folder / "others"]
    sources = [folder, zipped(folder, tmp_path / "q.zip"), tarred(folder, tmp_path / "q.tgz"), several]
    for qrels in sources:
        assessments = pw.read_assessments(qrels)
        assert list(assessments.queries) == ["7", "8"]
        assert list(assessments.assessors) == ["2", "3", "1"]
        assert len(assessments.elements.lines) == 12
        run = {"7": [("d", 6, 10)], "8": [("d", 0, 25)]}
        docs = {"d": DOCUMENT, "e": DOCUMENT}
        # Pool 2 highlights 9 characters for query 7 and pool 1 only 7; the only pool of query 8 is 3.
        for assessor, of_query_7 in ((None, 4 / 9), ("2", 4 / 9), ("1", 4 / 7)):
            scores = pw.evaluate(qrels, run, "TextR@1", collection=docs, assessor=assessor)
            assert scores.per_query() == {"run": {"TextR@1": {"7": of_query_7, "8": 1}}}


def test_a_damaged_archive_is_not_read_up_to_the_damage(tmp_path: Path) -> None:
    path = tarred(pools(tmp_path / "q"), tmp_path / "q.tgz")
    data = bytearray(gzip.decompress(path.read_bytes()))
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        last = archive.getmembers()[-1].offset
    data[last + 150] ^= 2
    path.write_bytes(data)
    with pytest.raises(pw.PartwiseError, match=r"q\.tgz.*a header is damaged"):
        pw.read_assessments(path)


def test_files_without_a_pool_that_judge_one_topic_are_several_assessors(tmp_path: Path) -> None:
    assess(tmp_path, OF_2004, "q/ann.xml")
    assess(tmp_path, OF_2004.replace('"3"', '"1"'), "q/bob.xml")
    assess(tmp_path, OF_2004.replace("163", "164"), "q/cid.xml")
    assessments = pw.read_assessments(tmp_path / "q")
    assert list(assessments.assessors) == ["ann", "bob", ""]
    assert assessments.elements.exhaustivity.tolist() == [3, 0, 1, 0, 3, 0]


def test_error_lines_of_several_files(tmp_path: Path) -> None:
    folder = pools(tmp_path / "q")
    again = folder / "z.xml"
    again.write_text(OF_2006.format(pool=1, topic=7))
    with pytest.raises(pw.PartwiseError) as caught:
        pw.read_assessments(folder)
    assert str(caught.value) == (
        f"{again}:4: judges document d for query 7 a second time "
        f"(first in line 6 of {folder}/others/topic-7/pool-1.xml); an assessor may judge it only once"
    )
    again.write_text("<assessments pool='9' topic='9'>\n<file name='d'>\n<passage start='/a'/>\n</file></assessments>")
    with pytest.raises(pw.PartwiseError) as caught:
        pw.read_assessments(folder)
    assert str(caught.value) == f"{again}:3: the passage has no end; it must be a path that begins with /"
    again.write_text("<assessments pool='9'")
    with pytest.raises(pw.PartwiseError) as caught:
        pw.read_assessments(folder)
    assert str(caught.value) == f"{again}:1: is not well-formed XML (unclosed token); fix the markup"
    scores = pw.evaluate(folder, {"7": [("d", 0, 1)]}, "P@1", lenient=True)
    assert list(scores.notes[:1]) == [
        f"{folder}: 1 bad element skipped, the first: {again}:1: "
        "is not well-formed XML (unclosed token); fix the markup"
    ]


# ---- end to end ---------------------------------------------------------------------------------------------

EXPECTED = {
    "TextP@2": 7 / 23,  # 8 + 15 characters, of which 6..8 and 10..15 are highlighted
    "TextR@2": 7 / 9,
    "iP@0.5": 7 / 23,
    "AgP(score=BEP)": 2.5 / 8.5,  # L = 25, A = 0.1; the first part starts at 0, the best entry point is 6
}
GAIN = {
    # bdy (9/25) is ideal: it scores more than p[2], and contains p[1]. The passage is not a node, p[2] gains 5/15.
    "1": (5 / 15) / (9 / 25),
    # Too small, p[2] starts no path, so p[1] (4/10) is ideal, and p[2] is not related to it.
    "?": 0.0,
}


def end_to_end(tmp_path: Path, *more: str, exhaustivity: str = "?") -> tuple[int, list[str]]:
    (tmp_path / "docs" / "x").mkdir(parents=True, exist_ok=True)
    (tmp_path / "docs" / "d.xml").write_text(DOCUMENT)
    (tmp_path / "run.xml").write_text(PASSAGE_RUN)
    (tmp_path / "q.xml").write_text(OF_2006.format(pool=35, topic=7).replace("?", exhaustivity))
    out = tmp_path / "scores.tsv"
    code = main(["evaluate", str(tmp_path / "q.xml"), str(tmp_path / "run.xml"), "-o", str(out), *more])
    return code, out.read_text().splitlines() if out.exists() else []


@pytest.mark.parametrize("exhaustivity", GAIN)
def test_xml_runs_against_xml_assessments(tmp_path: Path, exhaustivity: str) -> None:
    expected = {**EXPECTED, "nxCG(quant=spe)@2": GAIN[exhaustivity]}
    for collection in ("docs", "docs.parquet", "bare.parquet"):
        if collection == "docs.parquet":
            pw.write_index(tmp_path / "docs", tmp_path / "docs.parquet")
            pw.write_index(tmp_path / "docs", tmp_path / "bare.parquet", texts=False)
        arguments = ["-m", " ".join(expected), "--collection", str(tmp_path / collection)]
        code, lines = end_to_end(tmp_path, *arguments, exhaustivity=exhaustivity)
        assert code == 0
        values = {name: float(value) for _, name, _, value in (line.split("\t") for line in lines[1:])}
        assert values == pytest.approx(expected, abs=1e-12)


def test_without_the_documents(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    needs = "given as paths; give the collection (--collection)"
    for measure, line in (
        ("TextP@5", f"{tmp_path}/q.xml:5: TextP@5 needs character offsets, but highlighted passages are {needs}"),
        (
            "AgP(score=BEP)",
            f"{tmp_path}/q.xml:5: AgP(score=BEP) needs character offsets, but highlighted passages are {needs}",
        ),
        ("nxCG@5", "nxCG(quant=spe)@5 needs the elements of the documents; give the collection (--collection)"),
    ):
        assert end_to_end(tmp_path, "-m", measure) == (2, [])
        assert capsys.readouterr().err == line + "\n"
    code, lines = end_to_end(tmp_path, "-m", "RR nDCG@5")  # documents are relevant without being looked up
    assert code == 0
    assert [line.split("\t")[3] for line in lines[1:]] == ["1.0", "1.0"]


def test_best_entry_points_alone_need_the_documents() -> None:
    qrels = [{"query_id": "t", "doc_id": "d", "start": 0, "end": 5, "bep_path": "/article[1]/bdy[1]/p[2]"}]
    run = {"t": [("d", 10, 20)]}
    with pytest.raises(pw.PartwiseError, match="needs character offsets, but best entry points are given as paths"):
        pw.evaluate(qrels, run, "AgP(score=BEP)")
    scores = pw.evaluate(qrels, run, "AgP(score=BEP)", collection={"d": DOCUMENT})
    assert scores.mean() == {"run": {"AgP(score=BEP)": 1.0}}


def test_pointers_in_columns(tmp_path: Path) -> None:
    between = "/article[1]/bdy[1]/p[1]/text()[1].6 /article[1]/bdy[1]/p[2]/text()[1].5"
    for part, recall in ((between, 1.0), ("/article[1]/bdy[1]/p[1]", 4 / 9), (between.split()[0], 0.0)):
        (tmp_path / "a.run").write_text(f"7 Q0 d 1 0.9 tag {part}\n")
        qrels = [{"query_id": "7", "doc_id": "d", "start": 6, "end": 15}]
        scores = pw.evaluate(qrels, tmp_path / "a.run", "TextR@1", collection={"d": DOCUMENT})
        assert scores.mean() == {"a": {"TextR@1": recall}}


def test_pointers_count_characters_where_offsets_count_bytes(tmp_path: Path) -> None:
    docs = {"d": "<a><p>\u00e9\u00e9\u00e9</p><p>xyz</p></a>"}
    (tmp_path / "a.run").write_text("7 Q0 d 1 0.9 tag /a[1]/p[1]/text()[1].1 /a[1]/p[2]/text()[1].1\n")
    qrels = [{"query_id": "7", "doc_id": "d", "start": 2, "end": 7}]  # bytes: characters 1 to 4
    scores = pw.evaluate(qrels, tmp_path / "a.run", "TextIoU@1", collection=docs, unit="bytes")
    assert scores.mean() == {"a": {"TextIoU@1": 1.0}}


# ---- pointers -----------------------------------------------------------------------------------------------


def test_text_nodes_of_a_source_with_everything_in_it() -> None:
    """Elements separate text nodes; comments, instructions and CDATA do not. Blanks and escapes count as characters."""
    source = "<a> <p>x &amp; <!-- c -->y<?pi z?><![CDATA[<z>]]></p>\r\n <p/>tail<b>b</b>&#233;nd</a>"
    document = pw.Collection.open({"d": source})["d"]
    assert document.text == " x & y<z>\n tailb\u00e9nd"
    for pointer, text in {
        "/a[1]/text()[1].0": " ", "/a[1]/p[1]/text()[1].2": "& y", "/a[1]/p[1]/text()[1].5": "<z>",
        "/a[1]/text()[2].0": "\n ", "/a[1]/text()[3].0": "tail", "/a[1]/text()[4].0": "\u00e9nd",
    }.items():  # fmt: skip
        assert document.text[document.offset(pointer) :].startswith(text)


@st.composite
def trees(draw: st.DrawFn, depth: int = 3) -> str:
    tag = draw(st.sampled_from("abc"))
    texts = st.text("xy \n\u00e9", max_size=3)
    inside = draw(texts)
    for _ in range(draw(st.integers(0, 3)) if depth else 0):
        inside += draw(trees(depth=depth - 1)) + draw(texts)
    return f"<{tag}>{inside}</{tag}>"


@given(source=trees())
def test_pointers_are_those_of_xpath(tmp_path_factory: pytest.TempPathFactory, source: str) -> None:
    """The n-th text node of an element, as another implementation of XPath counts them, and every character of it."""
    root = etree.fromstring(source)
    collection = pw.Collection.open({"d": source})
    stored = tmp_path_factory.mktemp("index") / "c.parquet"
    pw.write_index(collection, stored)
    for document in (collection["d"], pw.Collection.open(stored)["d"]):
        text = document.text or ""
        assert text == "".join(root.itertext())
        for path in document.path:
            [element] = root.xpath(path)
            nodes = element.xpath("text()")
            for n, node in enumerate(nodes, 1):
                start, end = document.span(f"{path}/text()[{n}]")
                assert text[start:end] == node
                for k in range(len(node) + 1):
                    assert document.offset(f"{path}/text()[{n}].{k}") == start + k
            with pytest.raises(pw.PartwiseError, match="has no"):
                document.offset(f"{path}/text()[{len(nodes) + 1}].0")


# ---- errors -------------------------------------------------------------------------------------------------


def run_lines(*lines: str) -> str:
    return "\n".join(["<inex-submission run-id='r'>", *lines, "</inex-submission>"])


def pool(*lines: str) -> str:
    return "\n".join(["<assessments topic='7'>", *lines, "</assessments>"])


GOOD = "<topic topic-id='7'><result><file>d</file></result></topic>"
ONE_OF = "it must be one of 0, 1, 2, 3"

# name: (run, the error line after the file's name)
OPEN = "<topic topic-id='7'><result><file>d</file>"
CLOSE = "</result></topic>"
BAD_RUNS = {
    "not well-formed": (
        "<inex-submission>\n<topic>\n</inex-submission>",
        ":3: is not well-formed XML (mismatched tag); fix the markup",
    ),
    "cut short": (
        "<inex-submission>\n<topic topic-id='1'>\n",
        ":3: is not well-formed XML (no element found); fix the markup",
    ),
    "undefined entity": (
        run_lines("<description>&nbsp;</description>"),
        ":2: is not well-formed XML (undefined entity); fix the markup",
    ),
    "entities of the file": (
        '<!DOCTYPE inex-submission [\n<!ENTITY a "aaaa">\n]>\n' + run_lines(GOOD),
        ":2: declares the entity 'a', which is not supported; write its text where it is used",
    ),
    "an unknown encoding": (
        "<?xml version='1.0' encoding='zork'?>" + run_lines(GOOD),
        ":1: cannot be decoded (unknown encoding: zork); save it as UTF-8",
    ),
    "assessments": (
        "<assessments topic='1'/>",
        ":1: has the root element 'assessments'; a run has the root inex-submission",
    ),
    "no results": (
        run_lines(),
        ": has no results; give a run as TREC or INEX columns, INEX XML, CSV, TSV, JSON Lines or Parquet",
    ),
    "no topic-id": (
        run_lines(GOOD, "<topic>", "</topic>"),
        ":3: the topic has no topic-id; give every topic a topic-id",
    ),
    "outside a topic": (
        run_lines(GOOD, "<result><file>d</file></result>"),
        ":3: the result is outside a topic; put it into <topic topic-id=...>",
    ),
    "no file": (
        run_lines("<topic topic-id='7'>", "<result><rank>1</rank>" + CLOSE),
        ":3: the result has no file; give every result a file",
    ),
    "two files": (
        run_lines("<topic topic-id='7'><result>", "<file>d</file>", "<file>e</file>" + CLOSE),
        ":4: the result has a second file; give every result only one",
    ),
    "a bad rank": (
        run_lines(OPEN, "<rank>1.5</rank>" + CLOSE),
        ":3: the rank is '1.5'; it must be a whole number from 0",
    ),
    "a bad rsv": (
        run_lines(OPEN, "<rsv>high</rsv>" + CLOSE),
        ":3: the rsv is 'high'; it must be a number",
    ),
    "a bad path": (
        run_lines(OPEN, "<path>article[1]</path>" + CLOSE),
        ":3: the path of the result is 'article[1]'; it must be a path that begins with /",
    ),
    "an empty path": (
        run_lines(OPEN, "<path/>" + CLOSE),
        ":3: the result has no path; it must be a path that begins with /",
    ),
    "half a passage": (
        run_lines(OPEN, "<passage end='/a[1]'/>" + CLOSE),
        ":3: the passage has no start; it must be a path that begins with /",
    ),
    "half a fol": (
        run_lines(OPEN, "<fol offset='1'/>" + CLOSE),
        ":3: has no length; it must be a whole number from 0",
    ),
    "a large fol": (
        run_lines(OPEN, "<fol offset='1' length='1099511627777'/>" + CLOSE),
        ":3: the length is '1099511627777'; it must be at most 1099511627776",
    ),
    "two kinds of parts": (
        run_lines("<topic topic-id='7'>", "<result><file>d</file><path>/a</path><fol offset='1' length='1'/>" + CLOSE),
        ":3: the result has both paths and a fol; give only one of them",
    ),
}
FILE = "<file file='d'>"
BAD_POOLS = {
    "a run": (run_lines(GOOD), ":1: has the root element 'inex-submission'; assessments have the root assessments"),
    "no topic": ("<assessments version='2'/>", ":1: has no topic; write <assessments topic=...>"),
    "nothing judged": (
        pool(),
        ": has no judgements; give assessments as TREC or INEX columns, INEX XML, CSV, TSV, JSON Lines or Parquet",
    ),
    "no file name": (pool("<file/>"), ":2: the file has no name; write <file file=...> or <file name=...>"),
    "no path": (
        pool(FILE, "<path exhaustiveness='1' specificity='1'/></file>"),
        ":3: the element has no path; it must be a path that begins with /",
    ),
    "no exhaustiveness": (
        pool(FILE, "<path path='/a' specificity='1'/></file>"),
        f":3: has no exhaustiveness; {ONE_OF}",
    ),
    "a bad grade": (
        pool(FILE, "<path path='/a' exhaustiveness='1' specificity='4'/></file>"),
        f":3: the specificity is '4'; {ONE_OF}",
    ),
    "a bad grade of 2002": (
        pool(FILE, "<path path='/a' relevance='0E'/></file>"),
        ":3: the relevance is '0E'; it must be 0N, or 1, 2 or 3 followed by L, S or E",
    ),
    "a bad grade of 2005": (
        pool(FILE, "<element path='/a' exhaustivity='3' size='1' rsize='1'/></file>"),
        ":3: the exhaustivity is '3'; it must be one of 2, 1, ?",
    ),
    "no size": (
        pool(FILE, "<element path='/a' exhaustivity='1' rsize='1'/></file>"),
        ":3: has no size; it must be a whole number from 0",
    ),
    "a bad size": (
        pool(FILE, "<element path='/a' exhaustivity='1' size='x' rsize='1'/></file>"),
        ":3: the size is 'x'; it must be a whole number from 0",
    ),
    "more highlighted than the size": (
        pool(FILE, "<element path='/a' exhaustivity='1' size='3' rsize='4'/></file>"),
        ":3: the rsize 4 is more than the size 3; it must be at most the size",
    ),
    "two scales": (
        pool(
            FILE, "<element path='/a' exhaustivity='1' size='4' rsize='4'/>", "<path path='/b' relevance='3E'/></file>"
        ),
        ":4: has a grade on the scale four-point, but earlier grades are on inex2005; use one scale",
    ),
    "an element twice": (
        pool(FILE, "<path path='/a' relevance='3E'/>", "<path path='/a' relevance='2E'/></file>"),
        ":4: judges /a of document d for query 7 a second time (first in line 3); an assessor may judge it only once",
    ),
    "a file without relevance twice": (
        pool("<file name='d'/>", "<file name='d'/>"),
        ":3: judges document d for query 7 a second time (first in line 2); an assessor may judge it only once",
    ),
    "two best entry points": (
        pool(FILE, "<best-entry-point path='/a'/>", "<best-entry-point path='/b'/></file>"),
        ":4: judges document d for query 7 a second time (first in line 3); an assessor may judge it only once",
    ),
    "half a passage": (
        pool(FILE, "<passage start='/a'/></file>"),
        ":3: the passage has no end; it must be a path that begins with /",
    ),
    "a bad best entry point": (
        pool(FILE, "<best-entry-point path='12'/></file>"),
        ":3: the path of the best entry point is '12'; it must be a path that begins with /",
    ),
}


@pytest.mark.parametrize("name", BAD_RUNS)
def test_bad_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    content, line = BAD_RUNS[name]
    Path("a.xml").write_text(content)
    Path("q.txt").write_text("7 0 d 1\n")
    assert main(["evaluate", "q.txt", "a.xml", "-m", "RR"]) == 2
    assert capsys.readouterr().err == f"a.xml{line}\n"


@pytest.mark.parametrize("name", BAD_POOLS)
def test_bad_assessments(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    content, line = BAD_POOLS[name]
    Path("q.xml").write_text(content)
    Path("a.run").write_text("7 Q0 d 1 1 x\n")
    assert main(["evaluate", "q.xml", "a.run", "-m", "RR"]) == 2
    assert capsys.readouterr().err == f"q.xml{line}\n"


WHOLE_FILE = {"not well-formed", "cut short", "undefined entity", "entities of the file", "an unknown encoding",
              "assessments", "no results", "a run", "no topic", "nothing judged"}  # fmt: skip


@pytest.mark.parametrize("name", [name for name in BAD_RUNS if name not in WHOLE_FILE])
def test_lenient_runs(name: str, tmp_path: Path) -> None:
    content, line = BAD_RUNS[name]
    more = content.replace(
        "</inex-submission>", "<topic topic-id='7'><result><file>good</file></result></topic>\n</inex-submission>"
    )
    (tmp_path / "a.xml").write_text(more)
    scores = pw.evaluate({"7": {"good": 1}}, tmp_path / "a.xml", "P@1", lenient=True)
    assert scores.notes[0] == f"{tmp_path}/a.xml: 1 bad element skipped, the first: {tmp_path}/a.xml{line}"
    rank = 2 if name in ("no topic-id", "outside a topic") else 1  # after a good result
    assert pw.evaluate({"7": {"good": 1}}, tmp_path / "a.xml", "RR", lenient=True).mean()["a"]["RR"] == 1 / rank


@pytest.mark.parametrize("name", [name for name in BAD_POOLS if name not in WHOLE_FILE])
def test_lenient_assessments(name: str, tmp_path: Path) -> None:
    content, line = BAD_POOLS[name]
    (tmp_path / "q.xml").write_text(content.replace("</assessments>", "<file name='good'/></assessments>"))
    scores = pw.evaluate(tmp_path / "q.xml", {"7": [("d", 0, 1)]}, "NumRet", lenient=True)
    assert scores.notes[0] == f"{tmp_path}/q.xml: 1 bad element skipped, the first: {tmp_path}/q.xml{line}"


def test_paths_that_do_not_exist(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, _ = end_to_end(tmp_path, "-m", "TextP@1", "--collection", str(tmp_path / "docs"))
    assert code == 0
    (tmp_path / "docs" / "d.xml").write_text(DOCUMENT.replace("gamma ", ""))
    capsys.readouterr()
    code, _ = end_to_end_again(tmp_path)
    assert code == 2
    assert capsys.readouterr().err == (
        f"{tmp_path}/q.xml:5: document d has no /article[1]/bdy[1]/p[2]/text()[1].5; the largest offset there is 4\n"
    )
    (tmp_path / "docs" / "d.xml").rename(tmp_path / "docs" / "other.xml")
    code, _ = end_to_end_again(tmp_path)
    assert code == 2
    assert capsys.readouterr().err == (
        f"{tmp_path}/q.xml:5: document d is not in the collection {tmp_path}/docs; "
        "add it there, or give start and end\n"
    )


def end_to_end_again(tmp_path: Path) -> tuple[int, str]:
    files = [str(tmp_path / name) for name in ("q.xml", "run.xml")]
    return main(["evaluate", *files, "-m", "TextP@1", "--collection", str(tmp_path / "docs")]), ""


def test_document_ids_of_a_collection_folder_are_those_of_inex(tmp_path: Path) -> None:
    (tmp_path / "ieee" / "co" / "2001").mkdir(parents=True)
    (tmp_path / "ieee" / "co" / "2001" / "r7022.xml").write_text(DOCUMENT)
    assert list(pw.Collection.open(tmp_path / "ieee")) == ["co/2001/r7022"]
    assess(tmp_path, OF_2004.replace("sec[6]", "p[1]"))
    run = {"163": [{"doc_id": "co/2001/r7022", "path": "/article[1]"}]}
    scores = pw.evaluate(tmp_path / "q.xml", run, "nxCG@1", collection=tmp_path / "ieee")
    assert scores.mean() == {"run": {"nxCG(quant=sog)@1": 1.0}}


def test_a_folder_without_assessments(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(pw.PartwiseError) as caught:
        pw.read_assessments(tmp_path / "empty")
    assert str(caught.value) == (
        f"{tmp_path}/empty: has no XML files; give assessments as INEX XML, a file per query and pool"
    )
    (tmp_path / "q.txt").write_text("7 0 d 1\n")
    with pytest.raises(pw.PartwiseError) as caught:
        pw.read_assessments([tmp_path / "q.txt", tmp_path / "q.txt"])
    assert str(caught.value) == (f"{tmp_path}/q.txt: is not XML; only INEX XML files can be read together")
    (tmp_path / "bad.zip").write_bytes(b"PK\x03\x04 nothing of the kind")
    with pytest.raises(pw.PartwiseError, match=r"bad\.zip: is damaged or not an archive \(.*\); create it again"):
        pw.read_assessments(tmp_path / "bad.zip")
    with pytest.raises(pw.PartwiseError, match=r"q\.xml: is XML; give document lengths as columns doc_id and length"):
        pw.evaluate({"7": {"d": 1}}, {"7": ["d"]}, "RR", lengths=_written(tmp_path / "q.xml", OF_2004))


def _written(path: Path, content: str) -> Path:
    path.write_text(content)
    return path
