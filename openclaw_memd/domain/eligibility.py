"""Which curated entries may enter a prompt without being asked for. Pure."""

import unicodedata
from collections.abc import Collection
from datetime import date
from enum import StrEnum
from typing import Final, Protocol

from openclaw_memd.domain.comments import comments_in_line
from openclaw_memd.domain.curated_files import USER, is_memory, scope_of
from openclaw_memd.domain.markdown import Entry
from openclaw_memd.domain.provenance import Provenance, is_trusted

_VISIBLE: Final = ("L", "N", "So", "Sc")  # categories of letters, digits, pictographs and currencies


class Candidate(Protocol):
    """An entry of a curated file: where it stands, and who is behind its least trusted line."""

    @property
    def file(self) -> str:
        """The name of the curated file."""
        ...

    @property
    def entry(self) -> Entry:
        """The entry."""
        ...

    @property
    def provenance(self) -> Provenance:
        """Who is behind it."""
        ...


class Ineligible(StrEnum):
    """Why an entry is not injected. The set is closed; each has a ``description``."""

    ORIGIN = "origin"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    INVALID_PROJECT = "invalid_project"
    OTHER_PROJECT = "other_project"
    BLANK = "blank"

    @property
    def description(self) -> str:
        """One plain sentence for people."""
        return _DESCRIPTIONS[self]


_DESCRIPTIONS = {
    Ineligible.ORIGIN: "A line of it comes from outside or from the system, which is never injected.",
    Ineligible.SUPERSEDED: "It is marked as superseded.",
    Ineligible.EXPIRED: "Its `expires` date has passed.",
    Ineligible.INVALID_PROJECT: "Its `project` annotation is malformed, so nobody knows where it belongs.",
    Ineligible.OTHER_PROJECT: "It belongs to a project that is not active in the session.",
    Ineligible.BLANK: "Nothing of it can be seen: it is a comment, a rule or an empty item.",
}


def why_not(candidate: Candidate, *, active_projects: Collection[str], today: date) -> Ineligible | None:
    """Why an entry may not be injected now; None when it may.

    All of its projects must be active; what is in USER.md is of every project. It may be injected on the day
    that it expires, as it is found by a search.
    """
    annotations = candidate.entry.annotations
    if not is_trusted(candidate.provenance.origin):
        return Ineligible.ORIGIN
    if annotations.status == "superseded":
        return Ineligible.SUPERSEDED
    if annotations.expires is not None and annotations.expires < today:
        return Ineligible.EXPIRED
    if candidate.file != USER and not annotations.project_valid:
        return Ineligible.INVALID_PROJECT
    if not all(key in active_projects for key in scope_of(candidate.file, annotations)):
        return Ineligible.OTHER_PROJECT
    return None if has_visible_text(candidate.entry) else Ineligible.BLANK


def has_visible_text(entry: Entry) -> bool:
    """Whether anything of ``entry`` is left for a reader without its comments and marks."""
    if not is_memory(entry):
        return False
    before_comments = entry.text.partition("<!--")[0]  # which is nearly always enough to tell
    return _shows(before_comments) or any(map(_shows, map(_without_comments, entry.text.split("\n"))))


def _shows(text: str) -> bool:
    return any(unicodedata.category(character).startswith(_VISIBLE) for character in text)


def _without_comments(line: str) -> str:
    for comment in reversed(comments_in_line(line)):
        line = line[: comment.start] + line[comment.end :]
    return line
