"""From a message and the turns before it to what deep recall looks for."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal

from openclaw_memd.domain.recall_intent import asks_about_past
from openclaw_memd.domain.spoken import spoken_text

QueryMode = Literal["message", "recent", "full"]
TurnRole = Literal["user", "assistant"]

QUERY_CHARS: Final = 480  # this and the next are OpenClaw's values
SHORT_CHARS: Final = 12
"""A message that is shorter says too little alone: the user's turn before it comes along."""

BORROWED_CHARS: Final = 120
USER_CHARS: Final = 220
ASSISTANT_CHARS: Final = 180
RECENT_TURNS: Final = 12
"""How far back the last turns of each side are looked for."""

USER_TURNS: Final = 2
ASSISTANT_TURNS: Final = 1
FULL_CHARS: Final = 25_000

_SENTENCE = re.compile(r"[^.!?…。！？]++[.!?…。！？]*+")
_BLANKS = re.compile(r"\s+")
_METADATA = re.compile(
    r"^\s*(?:\[[^\]\n]{1,200}\]\s*$|(?:Conversation info|Sender|Metadata) ?\([^)\n]{0,80}\):.*$)"
)


@dataclass(frozen=True, slots=True)
class Turn:
    """Something that was said before the message."""

    role: TurnRole
    text: str


@dataclass(frozen=True, slots=True)
class RecallQuery:
    """``text`` is searched for; ``message`` is what was asked, ``before`` the turns that a model is shown."""

    text: str
    message: str
    before: tuple[Turn, ...]


def make_query(message: str, recent: Sequence[Turn], mode: QueryMode) -> RecallQuery:
    """The query of a message.

    What memd or its host put into the texts is taken out, and code. ``recent`` are turns, oldest first; of
    them count none (``message``), the last few, shortened (``recent``), or all that fit (``full``).
    """
    asked = clean(message)
    backwards = _clean_backwards(recent)
    text = asked
    if len(asked) < SHORT_CHARS:
        said = (turn.text for turn in _clean_backwards(recent) if turn.role == "user" and turn.text != asked)
        text = f"{next(said, '')[:BORROWED_CHARS]} {asked}".strip()
    return RecallQuery(_choose_words(text), asked, _choose(backwards, mode, FULL_CHARS - len(asked)))


def _clean_backwards(turns: Sequence[Turn]) -> Iterator[Turn]:
    """What was said in the turns, the last first, cleaned only when it is asked for."""
    for turn in reversed(turns):
        text = clean(turn.text)
        if text:
            yield Turn(turn.role, text)


def clean(text: str) -> str:
    """What was said in ``text``, in one line: no quotations, code, injected blocks or lines of metadata."""
    lines = (line for line in spoken_text(text).splitlines() if not _METADATA.match(line))
    return _BLANKS.sub(" ", " ".join(lines)).strip()


def _head(text: str, limit: int) -> str:
    """The beginning of ``text``, up to a blank where there is one near the end."""
    if len(text) <= limit:
        return text
    blank = text.rfind(" ", limit * 3 // 4, limit)
    return text[: blank if blank > 0 else limit]


def _choose_words(text: str) -> str:
    """What to look for: the whole of ``text``, or of a long one what asks about the past, else its end."""
    if len(text) <= QUERY_CHARS:
        return text
    asking = " ".join(found[0].strip() for found in _SENTENCE.finditer(text) if asks_about_past(found[0]))
    if 0 < len(asking) <= QUERY_CHARS:
        return asking
    blank = text.find(" ", len(text) - QUERY_CHARS)
    return text[max(blank + 1, len(text) - QUERY_CHARS) :]


def _choose(backwards: Iterable[Turn], mode: QueryMode, room: int) -> tuple[Turn, ...]:
    if mode == "message":
        return ()
    left = {"user": USER_TURNS, "assistant": ASSISTANT_TURNS}
    limits = {"user": USER_CHARS, "assistant": ASSISTANT_CHARS}
    chosen: list[Turn] = []
    for turn in islice(backwards, RECENT_TURNS if mode == "recent" else None):
        text = turn.text
        if mode == "recent":
            if left[turn.role] == 0:
                continue
            left[turn.role] -= 1
            text = _head(text, limits[turn.role])
        room -= len(text)
        if room < 0:
            break
        chosen.append(Turn(turn.role, text))
        if mode == "recent" and not any(left.values()):
            break
    return tuple(reversed(chosen))
