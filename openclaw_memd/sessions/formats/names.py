"""What the name of a file in a folder of transcripts says about it."""

import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class TranscriptSkip(StrEnum):
    """Why nothing is taken of a file or folder. The set is closed; each has a ``description``."""

    DELETED = "deleted"
    ARCHIVED = "archived"
    BACKUP = "backup"
    CHECKPOINT = "checkpoint"
    TRAJECTORY = "trajectory"
    COMPRESSED = "compressed"
    DREAMING = "dreaming"
    CRON = "cron"
    HEARTBEAT = "heartbeat"
    REPORTED = "reported"
    SYMLINK = "symlink"
    NOT_REGULAR = "not_regular"
    NAME_NOT_UTF8 = "name_not_utf8"
    UNREADABLE = "unreadable"
    MISSING = "missing"
    TOO_MANY = "too_many"
    TOO_DEEP = "too_deep"

    @property
    def description(self) -> str:
        """One plain sentence for people."""
        return _DESCRIPTIONS[self]

    @property
    def is_transient(self) -> bool:
        """Whether the file may be as it was, only unreadable now: what was taken of it stays."""
        return self in (TranscriptSkip.UNREADABLE, TranscriptSkip.TOO_MANY)


_DESCRIPTIONS = {
    TranscriptSkip.DELETED: "Its name says that the session was deleted, so nothing of it is kept.",
    TranscriptSkip.ARCHIVED: "Its name says that the session was reset; sessions.archives would keep it.",
    TranscriptSkip.BACKUP: "It is a backup of a transcript.",
    TranscriptSkip.CHECKPOINT: "It is a copy that was made before a compaction.",
    TranscriptSkip.TRAJECTORY: "It records how a run went, not what was said.",
    TranscriptSkip.COMPRESSED: "It is compressed; unpack it to have it read.",
    TranscriptSkip.DREAMING: "A dreaming run wrote it, so it holds nothing that anybody said.",
    TranscriptSkip.CRON: "A scheduled run wrote it.",
    TranscriptSkip.HEARTBEAT: "It holds heartbeats only.",
    TranscriptSkip.REPORTED: "The host hands over this session's messages itself.",
    TranscriptSkip.SYMLINK: "It is a symbolic link; links are not followed.",
    TranscriptSkip.NOT_REGULAR: "It is a folder, a pipe, a socket or a device where a file is needed.",
    TranscriptSkip.NAME_NOT_UTF8: "Its name is not valid UTF-8.",
    TranscriptSkip.UNREADABLE: "It cannot be read; what was taken of it stays.",
    TranscriptSkip.MISSING: "The folder does not exist, so nothing of it is kept.",
    TranscriptSkip.TOO_MANY: "The folder holds too many transcripts; this one is left as it is.",
    TranscriptSkip.TOO_DEEP: "Its folder lies deeper than transcripts do.",
}


@dataclass(frozen=True, slots=True)
class TranscriptName:
    """A file that is a transcript. ``session`` is what its name calls the session."""

    session: str
    is_archive: bool = False


_ENDING: Final = ".jsonl"
_PACKED = re.compile(r"\.(?:gz|zst|xz|bz2|br|lz4|zip|7z)\Z", re.IGNORECASE)
_CHECKPOINT = re.compile(r"\.checkpoint\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\Z", re.IGNORECASE)
_AFTER = re.compile(r"(?P<session>.+?)\.jsonl(?P<suffix>[.~_-].*)\Z", re.DOTALL)


def judge_name(name: str, *, archives: bool) -> TranscriptName | TranscriptSkip | None:
    """What a file of this name is; None for a file that has nothing to do with transcripts.

    A session that was reset leaves ``<session>.jsonl.reset.<time>``, a deleted one ``.deleted.<time>``.
    ``archives`` takes the former, as long as it is not compressed. Nothing takes the latter.
    """
    if name.endswith(_ENDING):
        return _judge_whole(name.removesuffix(_ENDING))
    found = _AFTER.fullmatch(name)
    return None if found is None else _judge_suffix(found["session"], found["suffix"], archives=archives)


def _judge_whole(session: str) -> TranscriptName | TranscriptSkip | None:
    if session.endswith(".trajectory"):
        return TranscriptSkip.TRAJECTORY
    if _CHECKPOINT.search(session):
        return TranscriptSkip.CHECKPOINT
    return TranscriptName(session) if session else None


def _judge_suffix(session: str, suffix: str, *, archives: bool) -> TranscriptName | TranscriptSkip:
    what = suffix.split(".")[1] if suffix.startswith(".") else ""
    if what == "deleted":
        return TranscriptSkip.DELETED
    if what == "reset" and not archives:
        return TranscriptSkip.ARCHIVED
    if _PACKED.search(suffix):
        return TranscriptSkip.COMPRESSED
    return TranscriptName(session, is_archive=True) if what == "reset" else TranscriptSkip.BACKUP
