"""The native sources compile without warnings, and every compiler extension has a portable alternative."""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

from support.paths import ROOT

NATIVE = ROOT / "src" / "native"
SOURCES = sorted(NATIVE.glob("*.cpp"))
KERNELS = [path for path in SOURCES if not path.name.endswith("module.cpp")]
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wsign-conversion", "-Werror"]
WINDOWS = "x86_64-w64-mingw32-g++-posix"
EXTENSIONS = re.compile(
    r"__builtin_|__attribute__|__int128|__restrict|#\s*include\s*<(unistd\.h|sys/|windows\.h|malloc\.h)"
)


def compiler(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} not found: install it")
    return found


def compiled(name: str, source: Path, folder: Path) -> None:
    flags = ["-std=c++17", "-O2", *WARNINGS]
    if source.name.endswith("module.cpp"):
        nanobind = pytest.importorskip("nanobind")
        flags += ["-isystem", nanobind.include_dir(), "-isystem", sysconfig.get_path("include")]
    command = [compiler(name), *flags, "-c", source, "-o", folder / "out.o"]
    found = subprocess.run(command, check=False, capture_output=True, text=True)
    assert (found.returncode, found.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.name)
@pytest.mark.parametrize("name", ["g++", "clang++"])
def test_no_warnings(name: str, source: Path, tmp_path: Path) -> None:
    compiled(name, source, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("source", KERNELS, ids=lambda path: path.name)
def test_kernels_compile_for_windows(source: Path, tmp_path: Path) -> None:
    compiled(WINDOWS, source, tmp_path)


@pytest.mark.slow
def test_portable_code_reads_the_same(tmp_path: Path) -> None:
    """The alternatives to built-in functions and vector instructions give the same columns."""
    outputs = []
    for flags in ([], ["-DPARTWISE_PORTABLE"]):
        program = tmp_path / f"program{len(outputs)}"
        sources = [ROOT / "tests" / "native" / "portable.cpp", *KERNELS]
        command = [compiler("g++"), "-std=c++17", "-O1", "-pthread", *flags, "-I", NATIVE, *sources, "-o", program]
        subprocess.run(command, check=True)
        outputs.append(subprocess.run([program], check=True, capture_output=True, text=True).stdout)
    assert outputs[0] == outputs[1] != ""


def guarded(text: str) -> list[tuple[int, str, bool]]:
    """Each use of an extension: its line, and whether it is inside an #if with an #else (for #include, any #if)."""
    lines = text.splitlines()
    has_else: dict[int, bool] = {}  # by the line of the #if
    inside: list[int] = []
    uses: list[tuple[int, str, list[int]]] = []
    for number, line in enumerate(lines):
        directive = line.strip().replace("# ", "#")
        if directive.startswith("#if"):
            inside.append(number)
            has_else[number] = False
        elif directive.startswith(("#else", "#elif")):
            has_else[inside[-1]] = True
        elif directive.startswith("#endif"):
            inside.pop()
        if EXTENSIONS.search(line):
            uses.append((number + 1, line, list(inside)))
    return [
        (number, line, any(has_else[at] for at in around) or ("include" in line and bool(around)))
        for number, line, around in uses
    ]


@pytest.mark.parametrize("path", sorted(NATIVE.iterdir()), ids=lambda path: path.name)
def test_extensions_have_a_portable_alternative(path: Path) -> None:
    assert not [(number, line) for number, line, fine in guarded(path.read_text()) if not fine]


def test_an_extension_without_an_alternative_is_detected() -> None:
    bare = "int a = __builtin_ctzll(1);\n"
    only = f"#if defined(__GNUC__)\n{bare}#endif\n"
    both = f"#if defined(__GNUC__)\n{bare}#else\nint a = 0;\n#endif\n"
    elsewhere = f"#if defined(A)\n#else\n#endif\n{bare}"
    assert [[fine for _, _, fine in guarded(text)] for text in (bare, only, both, elsewhere)] == [
        [False],
        [False],
        [True],
        [False],
    ]
