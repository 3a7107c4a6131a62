"""Which places hold memory of a day or a conversation, from which a lasting one may come. Pure."""

from datetime import date

from openclaw_memd.domain.dates import note_date
from openclaw_memd.domain.note_names import FOLDER
from openclaw_memd.domain.provenance import Provenance, SessionKind, is_trusted

_REVIEW = "memory/dreaming/"
_MACHINE = "memory/.dreams/"
_IMPORTS = "memory/imports/"
_QUARANTINE = "-untrusted.md"
SESSIONS = "sessions/"


def short_term_note(path: str) -> str | None:
    """The note at ``path`` as memd names it, when it is one of a day; None for everything else.

    That are notes with a date in their name, or in folders of dates, anywhere in ``memory``; a bare name
    means one directly in it. What dreaming writes is none, nor is what was imported.
    """
    plain = path.replace("\\", "/").removeprefix("./")
    if "/" not in plain:
        plain = f"{FOLDER}/{plain}"
    if not plain.startswith(f"{FOLDER}/") or ".." in plain.split("/"):
        return None
    if plain.startswith((_REVIEW, _MACHINE, _IMPORTS)):
        return None
    return None if note_date(plain) is None else plain


def note_day(path: str) -> date | None:
    """The day of a short-term note."""
    note = short_term_note(path)
    return None if note is None else note_date(note)


def is_quarantine(path: str) -> bool:
    """Whether the name of a note says that nobody vouches for what is in it."""
    return path.endswith(_QUARANTINE)


def is_session_path(path: str) -> bool:
    """Whether this is a document of what was said."""
    return path.startswith(SESSIONS)


def may_be_candidate(provenance: Provenance, *, is_session: bool) -> bool:
    """Whether a claim with this provenance is recorded at all.

    What scheduled runs, heartbeats and sub-agents write never is; nor what an unknown kind of session does,
    unless nobody is behind it but who edits the files. Text that is not trusted is recorded under keys of its
    own, so that a report can tell of it.
    """
    if provenance.session_kind is SessionKind.INTERACTIVE:
        return True
    if provenance.session_kind is not SessionKind.UNKNOWN or is_session:
        return False
    return not is_trusted(provenance.origin) or provenance.writer is None
