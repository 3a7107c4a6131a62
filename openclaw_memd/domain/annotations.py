"""What a curated entry says about itself in HTML comments: ``<!-- trigger: a, b -->``.

A comment is an annotation when it has a part ``name: value`` with a known name; parts are separated by ``|``.
An annotation counts at the end of a line, where only blanks and other comments follow; ``project`` limits
where an entry may be shown, so it counts anywhere in the entry's text. Comments in code are text. A malformed
value is ignored, except that a malformed ``project`` makes the entry's whole project scope invalid.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Literal

from openclaw_memd.domain.comments import Comment, comments_in_line, is_comment_line, trailing_comments
from openclaw_memd.domain.dates import iso_date
from openclaw_memd.domain.fences import lines_outside_fences
from openclaw_memd.domain.project_keys import (
    INVALID_PROJECTS,
    format_project_keys,
    is_project_key,
    parse_project_keys,
)

Status = Literal["active", "superseded"]

_PART = re.compile(
    r"\s*(trigger|importance|project|key|review|observed|status|expires)\s*:(.*)", re.IGNORECASE | re.DOTALL
)
_PART_SEPARATOR = "|"
_IMPORTANCE = re.compile(r"0*(10|[1-9])")
_TRIGGER_SEPARATOR = re.compile("[,;]")
_UNWRITABLE = re.compile(r"[|`\r\n]|-->|<!--")


@dataclass(frozen=True, slots=True)
class Annotations:
    """The annotations of one entry.

    ``importance`` is 1 to 10, None is neutral. ``project_valid`` is False when the entry has a malformed
    project annotation; such an entry belongs to no project and must not be shown at all.

    Raises:
        ValueError: for a value that cannot be written as an annotation and read back.
    """

    triggers: tuple[str, ...] = ()
    importance: int | None = None
    projects: tuple[str, ...] = ()
    project_valid: bool = True
    key: str | None = None
    review: date | None = None
    observed: date | None = None
    status: Status | None = None
    expires: date | None = None

    def __post_init__(self) -> None:
        for trigger in self.triggers:
            if not _is_writable(trigger) or _TRIGGER_SEPARATOR.search(trigger):
                raise ValueError(
                    "a trigger must be a non-empty phrase of one line without , ; | ` or comment marks"
                )
        if self.key is not None and not _is_writable(self.key):
            raise ValueError("a key must be non-empty text of one line without | ` or comment marks")
        if self.importance is not None and not 1 <= self.importance <= 10:
            raise ValueError("importance must be 1 to 10")
        if not all(map(is_project_key, self.projects)):
            raise ValueError("a project key must be non-empty, without blanks around, its host in lower case")
        if self.projects and not self.project_valid:
            raise ValueError("an invalid project scope has no projects")
        for values in (self.triggers, self.projects):
            if len(set(values)) != len(values):
                raise ValueError("triggers and projects must not repeat")


NO_ANNOTATIONS = Annotations()


def parse_annotations(text: str) -> Annotations:
    """The annotations in the text of one entry.

    Of several values, triggers and projects add up, the highest importance, the first key, the latest
    ``observed`` and the earliest ``review`` and ``expires`` count, and ``superseded`` wins over ``active``.
    """
    if "<!--" not in text:
        return NO_ANNOTATIONS
    found: dict[str, list[str]] = {}
    for name, value in _values(text):
        found.setdefault(name, []).append(value)
    if not found:
        return NO_ANNOTATIONS
    projects = parse_project_keys(found.get("project", []))
    return Annotations(
        triggers=_triggers(found.get("trigger", [])),
        importance=max(_importances(found.get("importance", [])), default=None),
        projects=projects or (),
        project_valid=projects is not None,
        key=next((key for key in found.get("key", []) if _is_writable(key)), None),
        review=min(_dates(found.get("review", [])), default=None),
        observed=max(_dates(found.get("observed", [])), default=None),
        status=_status(found.get("status", [])),
        expires=min(_dates(found.get("expires", [])), default=None),
    )


def format_annotations(annotations: Annotations) -> str:
    """``annotations`` as comments in one line, such that ``parse_annotations`` gives them back.

    Triggers, importance and projects have a comment each, as OpenClaw writes them; the others share one.
    No annotations give an empty string.
    """
    a = annotations
    comments: list[str] = []
    if a.triggers:
        comments.append("trigger: " + "; ".join(a.triggers))
    if a.importance is not None:
        comments.append(f"importance: {a.importance}")
    if not a.project_valid:
        comments.append(f"project: {INVALID_PROJECTS}")
    elif a.projects:
        comments.append("project: " + format_project_keys(a.projects))
    facts = {
        "key": a.key,
        "review": a.review,
        "observed": a.observed,
        "status": a.status,
        "expires": a.expires,
    }
    parts = [f"{name}: {value}" for name, value in facts.items() if value is not None]
    if parts:
        comments.append(f" {_PART_SEPARATOR} ".join(parts))
    return " ".join(f"<!-- {comment} -->" for comment in comments)


def strip_annotations(text: str) -> str:
    """``text`` without its annotations and the blanks they leave; other comments stay.

    A line that held nothing but annotations goes with its line end.
    """
    if "<!--" not in text:
        return text
    lines: list[str | None] = list(text.split("\n"))
    for index, line in lines_outside_fences(text.split("\n")):
        comments = [
            comment for comment in comments_in_line(line) if comment.closed and _is_annotation(comment)
        ]
        if comments:
            rest = _cut_out(line, comments)
            lines[index] = rest if rest.strip() else None
    return "\n".join(line for line in lines if line is not None)


def is_annotation_line(line: str) -> bool:
    """Whether ``line`` holds annotations and nothing else."""
    return is_comment_line(line) and all(map(_is_annotation, comments_in_line(line)))


def is_dated(lines: Sequence[str]) -> bool:
    """Whether ``lines`` hold nothing but annotations, and among them when something was observed or whether
    it is active.
    """
    if not all(map(is_annotation_line, lines)):
        return False
    said = parse_annotations("\n".join(lines))
    return said.observed is not None or said.status is not None


def _values(text: str) -> Iterator[tuple[str, str]]:
    for _, line in lines_outside_fences(text.split("\n")):
        comments = comments_in_line(line)
        first_trailing = len(comments) - len(trailing_comments(line, comments))
        for index, comment in enumerate(comments):
            for name, value in read_parts(comment):
                if name == "project" and not comment.closed:
                    yield name, INVALID_PROJECTS
                elif name == "project" or index >= first_trailing:
                    yield name, value


def read_parts(comment: Comment) -> Iterator[tuple[str, str]]:
    """Each known name in ``comment``, in lower case, with what stands behind it."""
    for part in comment.body.split(_PART_SEPARATOR):
        if match := _PART.fullmatch(part):
            yield match[1].lower(), match[2].strip()


def _is_annotation(comment: Comment) -> bool:
    return any(True for _ in read_parts(comment))


def _cut_out(line: str, comments: Iterable[Comment]) -> str:
    kept: list[str] = []
    position = 0
    for comment in comments:
        before = line[position : comment.start]
        blank_follows = not line[comment.end :] or line[comment.end].isspace()
        kept.append(before.rstrip(" \t") if blank_follows else before)
        position = comment.end
    after = line[position:]
    return "".join([*kept, after if after.strip() else after.lstrip(" \t")])


def _is_writable(value: str) -> bool:
    return bool(value) and value == value.strip() and not _UNWRITABLE.search(value)


def _triggers(values: Iterable[str]) -> tuple[str, ...]:
    phrases = (phrase.strip() for value in values for phrase in _TRIGGER_SEPARATOR.split(value))
    return tuple(dict.fromkeys(phrase for phrase in phrases if _is_writable(phrase)))


def _importances(values: Iterable[str]) -> Iterator[int]:
    return (int(match[1]) for value in values if (match := _IMPORTANCE.fullmatch(value)))


def _dates(values: Iterable[str]) -> Iterator[date]:
    return (day for value in values if (day := iso_date(value)))


def _status(values: Iterable[str]) -> Status | None:
    known = {value.lower() for value in values}
    if "superseded" in known:
        return "superseded"
    return "active" if "active" in known else None
