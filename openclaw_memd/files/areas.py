"""Which paths below a root are memories, by place and name alone. Pure."""

import posixpath
from dataclasses import dataclass
from typing import Protocol

from openclaw_memd.domain.provenance import Source, Tier
from openclaw_memd.files.catalog import SkipReason
from openclaw_memd.files.names import (
    CURATED,
    IMPORTS,
    INSTRUCTIONS,
    MACHINE_FOLDERS,
    NOTES,
    REVIEW,
    TOOL_FOLDERS,
    WORKSPACE,
    is_markdown,
)
from openclaw_memd.files.roots import ExtraRoot
from openclaw_memd.files.rules import Patterns

_OTHER_ENDINGS = (".markdown", ".mdown", ".mkd", ".mdx")  # of what people take for a note
_FIXED_NAMES = {name.casefold(): name for name in (*CURATED, NOTES)}


@dataclass(frozen=True, slots=True)
class Take:
    """A file is a memory of this source and tier."""

    source: Source
    tier: Tier


class Area(Protocol):
    """The places and names that count below one root; paths are relative to it."""

    @property
    def key(self) -> str:
        """The root's key."""
        ...

    def virtual(self, relative: str) -> str:
        """The virtual path of ``relative``."""
        ...

    def enters(self, folder: str) -> bool:
        """Whether memories may lie in ``folder``."""
        ...

    def judge(self, file: str) -> Take | SkipReason | None:
        """What a file of this name is; None for one that is nobody's business."""
        ...


def prune_reason(folder: str) -> SkipReason | None:
    """Why ``folder``, relative to any root, is never read nor watched; None for one that may be."""
    name = posixpath.basename(folder)
    if folder in MACHINE_FOLDERS:
        return SkipReason.MACHINE_FOLDER
    if name in TOOL_FOLDERS:
        return SkipReason.TOOL_FOLDER
    return SkipReason.HIDDEN if name.startswith(".") else None


class WorkspaceArea:
    """MEMORY.md, USER.md, ``memory/``, and what the ``include`` patterns add."""

    key = WORKSPACE

    def __init__(self, include: Patterns) -> None:
        self._include = include

    def virtual(self, relative: str) -> str:
        """The same path: the workspace's files keep their names."""
        return relative

    def enters(self, folder: str) -> bool:
        """Whether ``folder`` is ``memory``, lies in it, or may hold an included file."""
        return folder == NOTES or folder.startswith(f"{NOTES}/") or self._include.may_reach(folder)

    def judge(self, file: str) -> Take | SkipReason | None:
        """Curated files by their exact names, notes by place, included ones by pattern."""
        if file in CURATED:
            return Take(Source.MEMORY, Tier.CURATED)
        if file.casefold() in _FIXED_NAMES:
            return SkipReason.NOT_A_FOLDER if file == NOTES else SkipReason.NAME_CASE
        if file.startswith(f"{NOTES}/"):
            return _judge_note(file)
        if not self._include.take(file):
            return None
        return SkipReason.INSTRUCTIONS if file in INSTRUCTIONS else _judge_extra(file)


class ExtraArea:
    """The files below an extra root that its pattern takes."""

    def __init__(self, root: ExtraRoot, sole_file: str | None) -> None:
        self.key = root.key
        self._pattern = Patterns.parse([root.pattern])
        self._sole_file = sole_file

    def virtual(self, relative: str) -> str:
        """``extra/<name>/`` and the path."""
        return f"{self.key}/{relative}"

    def enters(self, folder: str) -> bool:
        """Whether the pattern may take something in ``folder``."""
        return self._sole_file is None and self._pattern.may_reach(folder)

    def judge(self, file: str) -> Take | SkipReason | None:
        """An extra note, if the pattern takes it or it is the root itself."""
        is_meant = file == self._sole_file if self._sole_file else self._pattern.take(file)
        return _judge_extra(file) if is_meant else None


def _judge_note(file: str) -> Take | SkipReason | None:
    if not is_markdown(file):
        return SkipReason.NOT_MARKDOWN if file.lower().endswith(_OTHER_ENDINGS) else None
    if posixpath.basename(file).startswith("."):
        return SkipReason.HIDDEN
    if file.startswith(IMPORTS):
        return Take(Source.IMPORTS, Tier.IMPORT)
    return Take(Source.MEMORY, Tier.EPISODIC)


def _judge_extra(file: str) -> Take | SkipReason:
    if file.casefold() == REVIEW.casefold():
        return SkipReason.REVIEW
    if posixpath.basename(file).startswith("."):
        return SkipReason.HIDDEN
    return Take(Source.EXTRA, Tier.EXTRA) if is_markdown(file) else SkipReason.NOT_MARKDOWN
