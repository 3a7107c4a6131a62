"""Why a claim that a night chose is not written. Pure."""

from enum import StrEnum


class Setback(StrEnum):
    """Why a claim is not written. The set is closed; each has a ``description``."""

    SOURCE_GONE = "source_gone"
    ORIGIN = "origin"
    DELETED = "deleted"
    PROJECT = "project"
    BLANK = "blank"
    COMMAND = "command"
    EXPIRED = "expired"
    OLDER = "older"
    SUPERSEDED = "superseded"
    CONTINUATION = "continuation"
    CHANGED = "candidate_changed"
    UNWRITABLE = "unwritable"
    LOSS = "loss"
    BUDGET = "budget"
    REJECTED = "rejected"
    CONFLICT = "conflict"

    @property
    def description(self) -> str:
        """One plain sentence for people."""
        return _DESCRIPTIONS[self]


_DESCRIPTIONS = {
    Setback.SOURCE_GONE: "Its source does not say it any more.",
    Setback.ORIGIN: "Its source is not trusted, or less than what it would replace.",
    Setback.DELETED: "It was deleted from the curated files by hand, or its promotion was undone.",
    Setback.PROJECT: "Its `project` annotation is malformed, so nobody knows where it may be shown.",
    Setback.BLANK: "Nothing of it can be seen.",
    Setback.COMMAND: "It is a command and says not what for.",
    Setback.EXPIRED: "Its own `expires` date has passed.",
    Setback.OLDER: "What it would replace was noted later.",
    Setback.SUPERSEDED: "A newer entry replaced the same one before.",
    Setback.CONTINUATION: "What it would replace has several lines; a person must decide.",
    Setback.CHANGED: "It changed while the night was at work; the next one looks again.",
    Setback.UNWRITABLE: "It cannot be written such that it is one entry and all others stay as they are.",
    Setback.LOSS: "Enough entries were replaced for one night or one week; it waits.",
    Setback.BUDGET: "The file has no room for it; it waits.",
    Setback.REJECTED: "The owner rejected it.",
    Setback.CONFLICT: "The file could not be rewritten now; it waits.",
}
