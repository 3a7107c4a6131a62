"""Keys of projects (``host/owner/repo``, ``path:/a/folder``) and how an annotation lists them.

The separator and the escapes are OpenClaw's; ``|``, the backtick and control characters are escaped too,
since here they mean something in an annotation, or are not text. What is written is read back as it was.
"""

import re
from collections.abc import Iterable, Sequence

INVALID_PROJECTS = ";"
"""A list of keys that is never valid."""

_SEPARATOR = ";"
_PATH_PREFIX = "path:"
_ESCAPES = {c: f"%{ord(c):02x}" for c in ["%", *";<>|`", *map(chr, range(0x20)), "\x7f"]}
_CHARACTERS = {escape: c for c, escape in _ESCAPES.items()}
_TO_ESCAPE = re.compile("[" + "".join(map(re.escape, _ESCAPES)) + "]")
_ESCAPED = re.compile("|".join(_CHARACTERS), re.IGNORECASE)
_FORBIDDEN = re.compile(r"[<>\r\n]")
_UNTIDY = re.compile("[\x00\ud800-\udfff]")


def is_project_key(key: str) -> bool:
    """Whether ``key`` is a key in its normal form: not empty, no blanks around it, its host in lower case."""
    return bool(key) and key == key.strip() == _with_lower_host(key)


def tidy_project_key(key: str) -> str | None:
    """``key`` in its normal form, as far as it can be one; None for one that no annotation may have."""
    tidy = _with_lower_host(key.strip())
    return tidy if is_project_key(tidy) and not _UNTIDY.search(tidy) else None


def format_project_keys(keys: Iterable[str]) -> str:
    """``keys`` as the value of an annotation."""
    return f"{_SEPARATOR} ".join(_TO_ESCAPE.sub(lambda c: _ESCAPES[c[0]], key) for key in keys)


def parse_project_keys(values: Sequence[str]) -> tuple[str, ...] | None:
    """The keys, each once, in the values of an entry's project annotations; None when any is malformed."""
    keys: dict[str, None] = {}
    for written in (written for value in values for written in value.split(_SEPARATOR)):
        if _FORBIDDEN.search(written):
            return None
        key = _with_lower_host(_ESCAPED.sub(lambda c: _CHARACTERS[c[0].lower()], written.strip()))
        if not is_project_key(key):
            return None
        keys[key] = None
    return tuple(keys)


def _with_lower_host(key: str) -> str:
    host, slash, path = key.partition("/")
    if key.startswith(_PATH_PREFIX) or not slash:
        return key
    return host.lower() + slash + path
