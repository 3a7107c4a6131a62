"""What signals of one claim add up to. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from hashlib import blake2b
from typing import Final, Literal

from openclaw_memd.domain.folding import normalize
from openclaw_memd.domain.promotion_score import Signals

SignalKind = Literal["recall", "daily", "grounded", "said"]

QUESTION_BYTES: Final = 12
DAILY_SCORE: Final = 0.62  # OpenClaw's value, like the next
SESSION_SCORE: Final = 0.58

_MARKS: Final = "?!.,;:…¿¡\"'“”„‘’«»‹›()[]{}*_`。，、；：？！「」『』（）؟،؛।"

SAID_SESSIONS: Final = 3
"""In so many sessions, on so many days, the same claim has to be said to count as asked for in each."""

SAID_DAYS: Final = 2
SAID_SCORE: Final = 1.0
"""What several sessions came to by themselves is as relevant to each of them as can be."""


@dataclass(frozen=True, slots=True)
class Signal:
    """One time that a claim was of use: to which question (a hash), in which session, on which local day.

    ``kind`` is ``recall`` for an answer to a question, ``daily`` for a note, ``said`` for a conversation,
    ``grounded`` for old notes that were looked through. ``score`` is 0 to 1.
    """

    kind: SignalKind
    question: bytes
    session: tuple[str, str]
    day: date
    score: float
    at: datetime


def hash_question(text: str) -> bytes:
    """What a question is known by; case, spacing, marks around words and Unicode forms do not count."""
    words = (word.strip(_MARKS) for word in normalize(text).casefold().split())
    said = " ".join(word for word in words if word)
    return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=QUESTION_BYTES).digest()


def hash_source(kind: SignalKind, name: str) -> bytes:
    """What stands in the place of a question where nobody asked one; no question has the same."""
    data = f"{kind}\0{name}".encode("utf-8", "surrogatepass")
    return blake2b(data, digest_size=QUESTION_BYTES, person=b"memd source").digest()


def sum_signals(signals: Iterable[Signal]) -> Signals:
    """All signals of a claim together; phases and tags are not part of them.

    A note that is read again tells nothing new: of the daily signals for one day the first says when it was
    last of use. What was said is a signal of its session; said in three sessions on two days, it counts as a
    recall and a query of each of them as well.
    """
    by_kind: dict[SignalKind, list[Signal]] = defaultdict(list)
    for signal in signals:
        by_kind[signal.kind].append(signal)
    recalls, dailies, grounded, said = (by_kind[kind] for kind in ("recall", "daily", "grounded", "said"))
    sessions = {signal.session for signal in said}
    is_asked = len(sessions) >= SAID_SESSIONS and len({signal.day for signal in said}) >= SAID_DAYS
    total = sum(signal.score for signal in (*recalls, *dailies, *grounded))
    total += SAID_SCORE * (len(said) + len(sessions)) if is_asked else sum(signal.score for signal in said)
    asked = len(sessions) if is_asked else 0
    return Signals(
        recalls=len(recalls) + asked,
        dailies=len(dailies) + len(said),
        grounded=len(grounded),
        total_score=total,
        queries=len({signal.question for signal in recalls}) + asked,
        days=sorted({signal.day for signal in (*recalls, *dailies, *grounded, *said)}),
        last_at=_last_use((*recalls, *grounded, *said), dailies),
    )


def _last_use(signals: Sequence[Signal], dailies: Sequence[Signal]) -> datetime | None:
    first_by_day: dict[date, datetime] = {}
    for signal in dailies:
        first_by_day[signal.day] = min(signal.at, first_by_day.get(signal.day, signal.at))
    return max((*(signal.at for signal in signals), *first_by_day.values()), default=None)
