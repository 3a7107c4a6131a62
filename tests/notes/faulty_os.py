"""The system calls of writing a note, made to fail or to end the process at a chosen one."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any


class Killed(BaseException):
    """The process ended here."""


@dataclass
class FaultyOs:
    """``os`` for the module that writes notes.

    ``faults`` maps the name of a call to what it raises; with ``after`` it does its work first. One write
    takes ``most_bytes`` at most, all of them together ``room``; ``before_write`` runs before each.
    """

    faults: dict[str, BaseException] = field(default_factory=dict)
    after: bool = False
    most_bytes: int | None = None
    room: int | None = None
    full: BaseException = field(default_factory=lambda: OSError(28, "no space"))
    before_write: Callable[[], None] = lambda: None
    calls: list[str] = field(default_factory=list)

    def __getattr__(self, name: str) -> Any:
        found = getattr(os, name)
        return self._faulty(name, found) if name in ("open", "mkdir", "fsync", "pread") else found

    def write(self, descriptor: int, data: bytes) -> int:
        self.before_write()
        if self.room is not None:
            if self.room == 0:
                raise self.full
            data = data[: self.room]
        if self.most_bytes is not None:
            data = data[: self.most_bytes]
        done: int = self._faulty("write", os.write)(descriptor, data)
        if self.room is not None:
            self.room -= done
        return done

    def heal(self) -> None:
        self.faults.clear()
        self.room = self.most_bytes = None

    def _faulty(self, name: str, work: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            self.calls.append(name)
            fault = self.faults.get(name)
            if fault is not None and not self.after:
                raise fault
            result = work(*given, **named)
            if fault is not None:
                if name == "open":
                    os.close(result)
                raise fault
            return result

        return call
