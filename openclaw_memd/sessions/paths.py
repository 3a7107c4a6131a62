"""The virtual paths of session documents: ``sessions/<agent>/<id>``; further parts end with ``~2`` and on."""

import re
from typing import Final, NamedTuple
from urllib.parse import unquote

from openclaw_memd.domain.audience import session_folder
from openclaw_memd.index.ledger.session_rows import Session, SessionKey

PREFIX: Final = "sessions/"

_UNSAFE = re.compile(r"[%/\\~\x00-\x1f\x7f-\x9f\u2028\u2029]|\A\.+\Z")
_PATH = re.compile(r"sessions/(?P<agent>[^/%~]+)/(?P<session>[^/~]+)(?:~(?P<part>[1-9][0-9]{0,8}))?")


class PartName(NamedTuple):
    """One part of a session, the first is 1."""

    key: SessionKey
    part: int


def format_path(name: PartName) -> str:
    """The path of a part."""
    first = f"{session_folder(name.key.agent)}{_escape(name.key.session_id)}"
    return first if name.part == 1 else f"{first}~{name.part}"


def session_paths(session: Session) -> list[str]:
    """The paths of all parts of a session."""
    return [format_path(PartName(session.key, part.number)) for part in session.parts]


def parse_path(path: str) -> PartName | None:
    """The part that ``path`` names; None when it is not the path of any."""
    match = _PATH.fullmatch(path)
    if match is None:
        return None
    try:
        key = SessionKey(match["agent"], unquote(match["session"], errors="strict"))
    except UnicodeDecodeError:
        return None
    name = PartName(key, int(match["part"] or 1))
    return name if format_path(name) == path else None


def _escape(text: str) -> str:
    return _UNSAFE.sub(lambda found: "".join(f"%{byte:02X}" for byte in found[0].encode()), text)
