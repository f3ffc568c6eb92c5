"""Documents in batches: however they are read and divided, the index is that of the documents one by one."""

from __future__ import annotations

import io
import tarfile
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

import partwise.collection as collections
from partwise.collection import Collection, Document, archives, batches, index, write_index
from partwise.collection.members import MemberList
from partwise.collection.sources import Objects, Source
from partwise.errors import PartwiseError

DEEP = "<a>" * 201 + "x" + "</a>" * 201
CONTENTS = st.sampled_from(
    ["<a>one<b>é</b></a>", "<c><a/>two</c>", "plain text\n\nof two", "<!DOCTYPE a [<!ELEMENT a ANY>]><a>three</a>",
     "<é>four</é>", "<a xmlns:x='relative'/>", DEEP, "<a>" + "<d/>" * 9 + "</a>", "<a/>", ""]
)  # fmt: skip


def one_by_one(source: Source) -> Iterator[batches.Batch]:
    for doc_id in source.doc_ids():
        yield batches.Batch.of([source.read(doc_id)])


def written(path: Path, of: Iterator[batches.Batch], count: int) -> bytes:
    index.write(of, count, path)
    return path.read_bytes()


@given(st.lists(CONTENTS, min_size=1, max_size=12), st.integers(1, 60), st.integers(1, 8))
def test_any_division_into_batches(contents: list[str], nodes: int, together: int) -> None:
    source = Objects({f"d{number}": content for number, content in enumerate(contents)})
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(index, "_NODES", nodes)
        patch.setattr(batches, "_DOCUMENTS", together)
        folder, count = Path(name), len(contents)
        expected = written(folder / "a.parquet", one_by_one(source), count)
        assert written(folder / "b.parquet", batches.parsed_ahead(source, as_documents=False), count) == expected
        assert written(folder / "c.parquet", batches.parsed_ahead(source, as_documents=True), count) == expected


@given(st.lists(CONTENTS, min_size=1, max_size=8))
def test_parsed_documents(contents: list[str]) -> None:
    source = Objects({f"d{number}": content for number, content in enumerate(contents)})
    read: list[tuple[Document, str]] = []
    for batch in batches.parsed(list(source.readers()), as_documents=False):
        for tree, (low, high) in enumerate(zip(batch.bounds[:-1].tolist(), batch.bounds[1:].tolist(), strict=True)):
            read.append((batch.forest.document(tree), bytes(batch.text)[low:high].decode()))
    assert [document.doc_id for document, _ in read] == source.doc_ids()
    for document, text in read:
        expected = source.read(document.doc_id)
        columns = (document.tags, document.parent, document.start, document.end, document.length)
        assert Document(document.doc_id, *columns, text) == expected


def test_errors_come_in_the_order_of_documents(tmp_path: Path) -> None:
    """The first document that cannot be read or parsed is named, wherever it is in its batch."""
    for number in range(5):
        (tmp_path / f"{number}.xml").write_text(f"<a>{number}</a>")
    (tmp_path / "5.xml").write_text("<a>")
    (tmp_path / "6.xml").symlink_to(tmp_path / "none.xml")
    (tmp_path / "7.xml").write_text("<b>")
    malformed, missing = "1: is not well-formed XML", " cannot be read"
    for number, problem in ((5, malformed), (6, missing), (7, malformed)):
        with pytest.raises(PartwiseError, match=rf"^{tmp_path}/{number}\.xml:{problem}"):
            write_index(tmp_path, tmp_path / "i.parquet")
        (tmp_path / f"{number}.xml").unlink()
    source = Collection.open(tmp_path).source
    (tmp_path / "2.xml").unlink()
    (tmp_path / "3.xml").write_text("<b>")
    collection = Collection(source)
    with pytest.raises(PartwiseError, match=rf"^{tmp_path}/2\.xml: cannot be read"):
        write_index(collection, tmp_path / "i.parquet")
    assert not (tmp_path / "i.parquet").exists()


def test_progress_and_the_number_of_documents(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ids of a large collection are not made into a list."""
    for number in range(9):
        (tmp_path / f"{number}.xml").write_text("<a/>")
    collection = Collection.open(tmp_path)
    monkeypatch.setattr(MemberList, "doc_ids", None)
    calls: list[tuple[int, int]] = []
    collections.write_index(collection, tmp_path / "i.parquet", progress=lambda *call: calls.append(call))
    assert calls == [(done, 9) for done in range(1, 10)]
    assert len(collection) == 9


# ---- members -----------------------------------------------------------------------------------------------------


@given(st.lists(st.tuples(st.sampled_from(["", "./"]), st.text(max_size=3), st.sampled_from(["", ".xml", ".XML"]))))
def test_members(members: list[tuple[str, str, str]]) -> None:
    made = MemberList()
    for number, parts in enumerate(members):
        made.add(*parts, (number, 2**40 + number))
    ids = [doc_id for _, doc_id, _ in members]
    assert (len(made), made.doc_ids()) == (len(members), ids)
    assert [made.member(number) for number in range(len(made))] == [(parts[1], "".join(parts)) for parts in members]
    assert [made.place(number) for number in range(len(made))] == [(n, 2**40 + n) for n in range(len(made))]
    pairs = [(ids.index(doc_id), number) for number, doc_id in enumerate(ids) if ids.index(doc_id) < number]
    assert made.repeated() == (pairs[0] if pairs else None)
    wanted = [*ids, "no such id", "\udc80"]
    for doc_id, number in zip(wanted, made.find(wanted).tolist(), strict=True):
        assert number == ids.index(doc_id) if ids.count(doc_id) == 1 else number < 0


def test_ids_of_one_key(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ids are compared, not only their keys."""
    made = MemberList()
    for doc_id in ("a", "b", "c", "b"):
        made.add("", doc_id, ".xml")
    keys = archives.kernels.name_keys
    monkeypatch.setattr("partwise.kernels.name_keys", lambda *names: keys(*names) * 0)
    assert made.repeated() == (1, 3)


@given(st.lists(st.sampled_from(["plain", "long", "link", "large"]), max_size=12), st.sampled_from([512, 1024, 5000]))
def test_tar_archives_of_any_members(kinds: list[str], window: int) -> None:
    """Headers that the kernel reads, between others, within parts of any size."""
    with TemporaryDirectory() as name, pytest.MonkeyPatch.context() as patch:
        patch.setattr(archives, "_WINDOW", window)
        patch.setattr(archives, "_HEADERS", 512)
        path = Path(name) / "c.tar"
        expected = {}
        with tarfile.open(path, "w") as tar:
            for number, kind in enumerate(["plain", *kinds]):
                info = tarfile.TarInfo(f"{number}{'x' * 200 if kind == 'long' else ''}.txt")
                content = f"text {number}" * (1 if kind != "large" else 300)
                info.type = tarfile.SYMTYPE if kind == "link" else tarfile.REGTYPE
                info.size = len(content) if kind != "link" else 0
                tar.addfile(info, io.BytesIO(content.encode()))
                if kind != "link":
                    expected[info.name.removesuffix(".txt")] = content
        collection = Collection.open(path)
        assert {doc_id: collection[doc_id].text for doc_id in collection} == expected
        assert [read().text for read in collection.source.readers()] == list(expected.values())


def test_headers_for_all_members_that_follow(tmp_path: Path) -> None:
    """A global header may give other names or sizes; a comment does not."""
    for headers, doc_ids in (({"comment": "c"}, ["a", "b"]), ({"path": "other.txt"}, None)):
        with tarfile.open(tmp_path / "c.tar", "w", format=tarfile.PAX_FORMAT, pax_headers=headers) as tar:
            for name in ("a.txt", "b.txt"):
                tar.addfile(tarfile.TarInfo(name), io.BytesIO())
        if doc_ids is not None:
            assert Collection.open(tmp_path / "c.tar").doc_ids() == doc_ids
            continue
        with pytest.raises(PartwiseError, match=r"has two documents 'other', other\.txt and other\.txt"):
            Collection.open(tmp_path / "c.tar")


def test_an_archive_with_an_error_has_it_again(tmp_path: Path) -> None:
    path = tmp_path / "c.tar"
    with tarfile.open(path, "w") as tar:
        for name in ("a.txt", "a.xml"):
            tar.addfile(tarfile.TarInfo(name), io.BytesIO())
    source = archives.Tar(str(path))
    for _ in range(2):
        with pytest.raises(PartwiseError, match="has two documents 'a'"):
            source.check()


@pytest.mark.parametrize("damaged", [1, 2, 3])
@pytest.mark.parametrize("kind", [tarfile.USTAR_FORMAT, tarfile.PAX_FORMAT])
def test_damaged_headers_do_not_end_an_archive(tmp_path: Path, damaged: int, kind: int) -> None:
    """Python's reader takes a damaged header that is not the first for the end, so that documents would be missing."""
    path = tmp_path / "c.tar"
    with tarfile.open(path, "w", format=kind) as tar:
        for number in range(4):
            tar.addfile(tarfile.TarInfo(f"{number}{'é' if number % 2 else ''}.txt"), io.BytesIO())
    with tarfile.open(path) as tar:
        headers = [info.offset for info in tar]
    assert len(Collection.open(path)) == 4
    data = bytearray(path.read_bytes())
    data[headers[damaged] + 150] ^= 2
    path.write_bytes(data)
    with pytest.raises(PartwiseError, match=r"c\.tar.*a header is damaged"):
        Collection.open(path).doc_ids()


def test_archives_without_an_end_are_read(tmp_path: Path) -> None:
    path = tmp_path / "c.tar"
    with tarfile.open(path, "w") as tar:
        tar.addfile(tarfile.TarInfo("a.txt"), io.BytesIO())
        tar.addfile(tarfile.TarInfo("b.txt"), io.BytesIO())
    path.write_bytes(path.read_bytes()[:1024])
    assert Collection.open(path).doc_ids() == ["a", "b"]
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(PartwiseError, match="a header is damaged"):
        Collection.open(path).doc_ids()
