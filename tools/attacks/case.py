"""A case: files and the commands, or the Python call, that are run on them."""

from __future__ import annotations

import base64
import json
import os
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

FIFO, FOLDER, LINK = "fifo", "folder", "link"
COMMAND, CALL, STDIN, CASE = "command", "call", "stdin", "case.json"
"""Files of a saved case besides its inputs; `case.json` holds what a folder cannot, and everything to repeat it."""


@dataclass(frozen=True)
class Special:
    """Something in place of a regular file: a pipe, an empty folder, or a link to `target`."""

    kind: str
    target: str = ""


Content = bytes | Special


@dataclass(frozen=True)
class Case:
    """Commands (usually one) that run in a folder with these files, or a Python expression."""

    steps: tuple[tuple[str, ...], ...] = ()
    files: Mapping[str, Content] = field(default_factory=dict)
    stdin: bytes | None = None
    call: str | None = None
    same: bool = False
    """Whether the inputs are valid, and all evaluations among the steps must print the same."""

    def with_file(self, name: str, content: Content | None) -> Case:
        """The same case with another content of this file; None removes it."""
        files = {key: value for key, value in self.files.items() if key != name}
        return replace(self, files=files if content is None else {**self.files, name: content})

    def write_files(self, folder: str | Path) -> None:
        for name, content in self.files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if isinstance(content, bytes):
                with open(path, "wb") as file:
                    file.write(content)
            elif content.kind == FOLDER:
                os.makedirs(path, exist_ok=True)
            elif content.kind == FIFO:
                os.mkfifo(path)
            else:
                os.symlink(content.target, path)

    @property
    def command(self) -> str:
        """The commands as one line for a shell."""
        line = " && ".join(shlex.join(("partwise", *words)) for words in self.steps)
        return line if self.stdin is None else f"{line} < {STDIN}"

    # ---- saving

    def to_json(self) -> str:
        content: dict[str, Any] = {
            "steps": self.steps,
            "files": {name: _packed(content) for name, content in self.files.items()},
            "stdin": None if self.stdin is None else _packed(self.stdin),
            "call": self.call,
            "same": self.same,
        }
        return json.dumps(content)

    @classmethod
    def from_json(cls, text: str) -> Case:
        content = json.loads(text)
        stdin = None if content["stdin"] is None else _unpacked(content["stdin"])
        return cls(
            tuple(tuple(words) for words in content["steps"]),
            {name: _unpacked(packed) for name, packed in content["files"].items()},
            stdin if isinstance(stdin, bytes) else None,
            content["call"],
            content["same"],
        )

    def save(self, folder: Path) -> None:
        """Write the case as a folder of ``tests/corpus``: its files, and `command` with the command line."""
        folder.mkdir(parents=True, exist_ok=True)
        self.write_files(folder)
        if self.call is not None:
            (folder / CALL).write_text(self.call + "\n", encoding="utf-8", errors="backslashreplace")
        else:
            (folder / COMMAND).write_text(self.command + "\n", encoding="utf-8", errors="surrogateescape")
        if self.stdin is not None:
            (folder / STDIN).write_bytes(self.stdin)


def _packed(content: Content) -> list[str]:
    if isinstance(content, Special):
        return [content.kind, content.target]
    return ["bytes", base64.b85encode(content).decode()]


def _unpacked(packed: list[str]) -> Content:
    kind, value = packed
    return base64.b85decode(value) if kind == "bytes" else Special(kind, value)
