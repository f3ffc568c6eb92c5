"""The script with the libraries for charts: it is kept, and made again if it is damaged or of another version."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from partwise.errors import PartwiseError
from partwise.report import libraries


class Converter:
    """Makes a script, and counts how often."""

    def __init__(self) -> None:
        self.made = 0
        self.__version__ = "1"

    def javascript_bundle(self, exports: str) -> str:
        self.made += 1
        return f"{exports} </script><!-- é {self.__version__}"


SCRIPT = f"{libraries.EXPORTS} <\\/script><\\!-- é 1".encode()


@pytest.fixture
def converter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Converter:
    folder = tmp_path / "packages" / "vl_convert"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_bytes(b"x")
    one = Converter()
    spec = SimpleNamespace(submodule_search_locations=[str(folder)])
    monkeypatch.setattr(libraries, "find_spec", lambda name: spec)
    monkeypatch.setattr(libraries, "package", lambda name: one)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return one


def kept(tmp_path: Path) -> list[Path]:
    return sorted((tmp_path / "cache" / "partwise").iterdir())


def test_it_is_made_once(converter: Converter, tmp_path: Path) -> None:
    assert [libraries.bundle() for _ in range(3)] == [SCRIPT] * 3
    assert converter.made == 1
    [path] = kept(tmp_path)
    assert path.name.startswith("chart-libraries-")


@pytest.mark.parametrize("damage", [b"", b"no digest", b"0\nscript", b"\xff\n\xff"])
def test_it_is_made_again_if_it_is_damaged(converter: Converter, tmp_path: Path, damage: bytes) -> None:
    libraries.bundle()
    [path] = kept(tmp_path)
    path.write_bytes(damage)
    assert libraries.bundle() == SCRIPT
    assert libraries.bundle() == SCRIPT
    assert converter.made == 2


def test_it_is_made_again_if_it_is_cut_short(converter: Converter, tmp_path: Path) -> None:
    libraries.bundle()
    [path] = kept(tmp_path)
    path.write_bytes(path.read_bytes()[:-1])
    assert libraries.bundle() == SCRIPT
    assert converter.made == 2


def test_another_version_has_its_own(converter: Converter, tmp_path: Path) -> None:
    libraries.bundle()
    converter.__version__ = "2"
    for number, name in enumerate(["__init__.py", "library.so"], 2):
        (tmp_path / "packages" / "vl_convert" / name).write_bytes(b"xy")
        assert libraries.bundle().endswith(b"2")
        assert converter.made == len(kept(tmp_path)) == number


def test_a_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(libraries, "find_spec", lambda name: None)
    for fails in (libraries.require_packages, libraries.bundle):
        with pytest.raises(PartwiseError, match="vl-convert-python"):
            fails()


def test_a_folder_that_cannot_be_written_is_no_error(converter: Converter, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file where the folder would be")
    assert [libraries.bundle() for _ in range(2)] == [SCRIPT] * 2
    assert converter.made == 2


def test_an_interrupted_process_leaves_nothing_that_is_read(converter: Converter, tmp_path: Path) -> None:
    """The part of a file that another process with the same number has left."""
    folder = tmp_path / "cache" / "partwise"
    folder.mkdir(parents=True)
    name = f"chart-libraries-{libraries._version()}"
    (folder / f"{name}.{os.getpid()}.part").write_bytes(b"half")
    assert [libraries.bundle() for _ in range(3)] == [SCRIPT] * 3
    assert converter.made == 2
    assert [path.name for path in kept(tmp_path)] == [f"{name}.js"]


def test_without_a_home(converter: Converter, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr(os.path, "expanduser", lambda path: path)
    assert libraries.bundle() == SCRIPT


@pytest.mark.parametrize(
    ("platform", "folder"),
    [("linux", ".cache/partwise"), ("darwin", "Library/Caches/partwise"), ("win32", "AppData/Local/partwise/cache")],
)
def test_the_folder_is_the_usual_one(
    platform: str, folder: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os.path, "expanduser", lambda path: str(tmp_path))
    monkeypatch.setattr(sys, "platform", platform)
    for name in ("XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    assert Path(libraries.cache_folder()) == tmp_path / folder
