"""The members of a tar archive: what the kernel reads of it is what Python's reader reads."""

from __future__ import annotations

import io
import tarfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import kernels as oracle
from partwise import kernels
from support.arrays import whole

NAMES = st.sampled_from(["a.xml", "b/c.txt", "é.xml", "x" * 100, "d/" * 60 + "e.xml", "y" * 300, "./f.md", "g h", "z/"])
KINDS = st.sampled_from([tarfile.REGTYPE, tarfile.AREGTYPE, tarfile.REGTYPE, tarfile.SYMTYPE, tarfile.DIRTYPE])
MEMBERS = st.lists(st.tuples(NAMES, KINDS, st.integers(0, 1100)), max_size=5)
FORMATS = st.sampled_from([tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])


def archive_of(members: list[tuple[str, bytes, int]], kind: int) -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=kind) as archive:
        for name, type_of, size in members:
            info = tarfile.TarInfo(name)
            info.type, info.size, info.uid = type_of, size if type_of in tarfile.REGULAR_TYPES else 0, size
            try:
                archive.addfile(info, io.BytesIO(b"x" * info.size))
            except ValueError:  # the format has no place for such a name
                continue
    return file.getvalue()


def judge(content: bytes) -> int:
    """How many members the kernel reads; they must be the first that Python reads."""
    names, data, sizes, end = kernels.read_tar(content)
    found = list(zip(names.split("\0")[:-1], whole(data), whole(sizes), strict=True))
    if not found:
        assert end == 0
        return 0
    assert (found, end) == oracle.read_tar(content, len(found))
    return len(found)


@given(MEMBERS, FORMATS)
def test_archives(members: list[tuple[str, bytes, int]], kind: int) -> None:
    content = archive_of(members, kind)
    read = judge(content)
    if all(name.isascii() and len(name) <= 100 and name[-1] != "/" and of <= b"0" for name, of, _ in members):
        assert read == len(members)


@given(MEMBERS, FORMATS, st.lists(st.tuples(st.integers(0, 520), st.integers(0, 255)), min_size=1, max_size=3))
def test_damaged_headers(members: list[tuple[str, bytes, int]], kind: int, changes: list[tuple[int, int]]) -> None:
    """Also those whose checksum is right."""
    content = bytearray(archive_of([("a.xml", tarfile.REGTYPE, 3), *members], kind))
    for at, byte in changes:
        content[at] = byte
    judge(bytes(content))
    header = content[:512]
    header[148:156] = b" " * 8
    content[148:156] = b"%06o\0 " % sum(header)
    judge(bytes(content))


@pytest.mark.parametrize("size", [0, 1, 511, 512, 1023, 1024])
def test_part_of_a_header(size: int) -> None:
    content = archive_of([("a.xml", tarfile.REGTYPE, 0), ("b.xml", tarfile.REGTYPE, 5)], tarfile.USTAR_FORMAT)
    assert len(kernels.read_tar(content[:size])[1]) == size // 512
