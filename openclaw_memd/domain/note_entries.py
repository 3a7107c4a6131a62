"""Text as it is written into a note: tidied, unable to pass for anything else, and entries as bullets.

What a text says about itself depends on who wrote it. The Markdown of a trusted writer stays as it is, its
annotations too. In a text that nobody vouches for, and in the text of every entry, ``<!--`` becomes
``&lt;!--``: it reads the same and annotates nothing. An entry has fields for that, and what they may do is
decided by the origin that is stored with its lines. Delimiters of frames are disarmed in every text.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from textwrap import dedent

from openclaw_memd.domain.annotations import Annotations, format_annotations
from openclaw_memd.domain.fences import Fence, lines_outside_fences, opening_fence
from openclaw_memd.domain.folding import normalize
from openclaw_memd.domain.inert import disarm_delimiters
from openclaw_memd.domain.project_keys import format_project_keys, parse_project_keys
from openclaw_memd.errors import InvalidParamsError

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")  # all but tab and line feed
_BULLET = re.compile(r"[-*+][ \t]+")
_FENCED_ITEM = re.compile(r"[ \t]*(?:[-*+]|[0-9]{1,9}[.)])[ \t]")
_RULE = re.compile(r"([ \t]*)(?:-[- \t]*|=+[ \t]*|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,})$")
_INDENT = "  "


@dataclass(frozen=True, slots=True)
class NoteEntry:
    """One thing to remember. ``importance`` is 1 to 10; ``project`` is a project's key."""

    text: str
    importance: int | None = None
    triggers: tuple[str, ...] = ()
    supersedes_key: str | None = None
    project: str | None = None


def tidy_text(text: str, field: str = "text") -> str:
    """``text`` with ``\\n`` line ends, without blank lines around it, its common indent and its first line's.

    A control character becomes a blank, since one NUL would make the whole note unreadable. A code fence that
    is left open is closed, so that what is added later is not part of it. Frame delimiters are disarmed.

    Raises:
        InvalidParamsError: nothing visible is in it, or a lone surrogate is.
    """
    if not _is_unicode(text):
        raise InvalidParamsError(f"{field} holds a lone surrogate", field=field, reason="value")
    plain = blank_controls(text.replace("\r\n", "\n").replace("\r", "\n"))
    lines = [line if line.strip() else "" for line in plain.split("\n")]
    tidied = dedent("\n".join(lines).strip("\n")).strip()
    if is_blank(tidied):
        raise InvalidParamsError(f"{field} is blank", field=field, reason="value")
    return close_fence(disarm_delimiters(tidied))


def blank_controls(text: str) -> str:
    """``text`` with a blank for each control character but tab and line feed."""
    return _CONTROL.sub(" ", text)


def is_blank(text: str) -> bool:
    """Whether nothing in ``text`` is visible."""
    return not normalize(text).strip()


def silence_annotations(text: str) -> str:
    """``text`` with no comment in it that could annotate anything."""
    return text.replace("<!--", "&lt;!--")


def format_entry(entry: NoteEntry, field: str, *, default_project: str | None = None) -> str:
    """``entry`` as one bullet whose annotations are those of its fields alone.

    More lines of text are indented below the first, and annotations come last, on a line of their own.

    Raises:
        InvalidParamsError: a field cannot be written; its name begins with ``field``.
    """
    return format_bullet(entry.text, read_fields(entry, f"{field}.", default_project), f"{field}.text")


def format_bullet(text: str, annotations: Annotations, field: str = "text") -> str:
    """``text`` as one bullet that has ``annotations`` and no others.

    Raises:
        InvalidParamsError: nothing visible is in the text, or a lone surrogate is.
    """
    text = _without_marker(tidy_text(text, field), field)
    comments = format_annotations(annotations)
    first, *others = silence_annotations(text).split("\n")
    if not others:
        return f"- {first} {comments}".rstrip()
    lines = [f"- {first}", *(_INDENT + line if line else "" for line in others)]
    return "\n".join([*lines, _INDENT + comments] if comments else lines)


def is_apart(text: str) -> bool:
    """Whether ``text`` needs a blank line above it, so as not to continue what stands there.

    A bullet at the margin begins an entry by itself; anything else could be taken for more of the last one,
    or turn it into a heading.
    """
    return _BULLET.match(text) is None


def _without_marker(text: str, field: str) -> str:
    """``text`` without a bullet of its own; a line that would be a rule, or make a heading of the line above,
    is escaped.
    """
    if match := _BULLET.match(text):
        text = text[match.end() :]
    lines = tidy_text(text, field).split("\n")
    if all(_RULE.match(line) or not line for line in lines):
        raise InvalidParamsError(f"{field} is blank", field=field, reason="value")
    for index, line in lines_outside_fences(lines):
        if found := _RULE.match(line):
            lines[index] = f"{found[1]}\\{line[found.end(1) :]}"
    return "\n".join(lines)


def read_fields(entry: NoteEntry, prefix: str = "", default_project: str | None = None) -> Annotations:
    """What ``entry`` says of itself. Without a project of its own it has ``default_project``.

    Raises:
        InvalidParamsError: a field cannot be written; its name begins with ``prefix``.
    """
    project = default_project if entry.project is None else entry.project
    key = None if entry.supersedes_key is None else entry.supersedes_key.strip()
    with _refused(f"{prefix}importance"):
        found = Annotations(importance=entry.importance)
    with _refused(f"{prefix}triggers"):
        triggers = dict.fromkeys(_checked(trigger).strip() for trigger in entry.triggers)
        found = replace(found, triggers=tuple(triggers))
    with _refused(f"{prefix}supersedes_key"):
        found = replace(found, key=None if key is None else _checked(key))
    with _refused(f"{prefix}project"):
        return replace(found, projects=() if project is None else _project_keys(project))


@contextmanager
def _refused(field: str) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise InvalidParamsError(f"{field}: {error}", field=field, reason="value") from None


def _checked(text: str) -> str:
    if _CONTROL.search(text) or not _is_unicode(text):
        raise ValueError("a control character or a lone surrogate")
    return text


def _project_keys(project: str) -> tuple[str, ...]:
    if "\0" in project or not _is_unicode(project):
        raise ValueError("a NUL or a lone surrogate")
    keys = parse_project_keys([format_project_keys([project.strip()])])
    if keys is None:
        raise ValueError("not a project key")
    return keys


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def close_fence(text: str) -> str:
    """``text`` with a line that closes the code fence that it leaves open, if it does."""
    fence: Fence | None = None
    indent = ""
    for line in text.split("\n"):
        if fence is not None:
            fence = None if fence.is_closed_by(line) else fence
        elif (fence := opening_fence(line)) is not None:
            indent = line[: len(line) - len(line.lstrip(" \t"))] + (
                _INDENT if _FENCED_ITEM.match(line) else ""
            )
    return text if fence is None else f"{text}\n{indent}{fence.character * fence.length}"
