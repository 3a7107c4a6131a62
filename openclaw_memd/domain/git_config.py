"""Reading one value of a Git configuration file (git-config(1), "Syntax"). Pure."""

import re
from collections.abc import Iterator
from typing import Final

_SECTION: Final = re.compile(r'\[\s*(?P<name>[A-Za-z0-9.-]+)(?:\s+"(?P<sub>(?:[^"\\\n]|\\.)*)")?\s*\]')
_NAME: Final = re.compile(r"(?P<name>[A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=[ \t]*)?")
_ESCAPES: Final = {"n": "\n", "t": "\t", "b": "\b"}


def read_value(text: str, section: str, subsection: str, name: str) -> str | None:
    """The last value of ``name`` in ``[section "subsection"]``, as ``git config --get`` gives it.

    Included files are not read: they may lead anywhere.
    """
    found: str | None = None
    in_section = False
    for line in _lines(text):
        rest = line.lstrip()
        while match := _SECTION.match(rest):
            in_section = _is_section(match, section, subsection)
            rest = rest[match.end() :].lstrip()
        if in_section and (key := _NAME.match(rest)) and key["name"].lower() == name:
            found = _value(rest[key.end() :])
    return found


def _lines(text: str) -> Iterator[str]:
    """The lines, those that end with a backslash joined with what they go on in."""
    held = ""
    for line in text.replace("\r\n", "\n").split("\n"):
        backslashes = len(line) - len(line.rstrip("\\"))
        if backslashes % 2:
            held += line[:-1]
        else:
            yield held + line
            held = ""
    if held:
        yield held


def _is_section(match: re.Match[str], section: str, subsection: str) -> bool:
    if match["sub"] is None:  # the old form, [section.subsection], knows no case
        return match["name"].lower() == f"{section}.{subsection}".lower()
    return match["name"].lower() == section and re.sub(r"\\(.)", r"\1", match["sub"]) == subsection


def _value(text: str) -> str:
    """A value as it is meant: without quotes, escapes, comments and the blanks around it."""
    value: list[str] = []
    kept = 0  # up to where blanks at the end belong to the value
    quoted = False
    characters = iter(text)
    for character in characters:
        if character == '"':
            quoted = not quoted
        elif character == "\\":
            escaped = next(characters, "")
            value.append(_ESCAPES.get(escaped, escaped))
            kept = len(value)
            continue
        elif character in "#;" and not quoted:
            break
        elif not value and not quoted and character.isspace():
            continue  # Git begins a value with what is none, also behind empty quotes
        else:
            value.append(character)
        if quoted or not character.isspace():
            kept = len(value)
    return "".join(value[:kept])
