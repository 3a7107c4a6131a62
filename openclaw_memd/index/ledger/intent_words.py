"""The words of the keywords of events, and what a message says of them."""

import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, Final, NamedTuple

import apsw

from openclaw_memd.domain.intents import OPEN
from openclaw_memd.index.ledger.instants import to_stamp
from openclaw_memd.index.ledger.intent_rows import COLUMNS, IntentRow, read_row

KeywordForms = Sequence[Sequence[Sequence[str]]]
"""The forms of each word of each keyword, the longest form of a word first."""

_OPEN: Final = ", ".join(f"'{status.value}'" for status in sorted(OPEN))
_MOST_COUNTED: Final = 1_000
_PAGE: Final = 64

_ANCHORED: Final = (  # with DISTINCT the first row takes twice the time
    "SELECT intent, keyword, words FROM carray(?) AS said CROSS JOIN intent_anchors"
    " ON form = said.value ORDER BY intent, keyword"
)
_WHOLE: Final = (
    "SELECT value ->> 0 AS said_intent, value ->> 1 AS said_keyword FROM json_each(:several)"
    " WHERE value ->> 2 = (SELECT count(DISTINCT word) FROM intent_words WHERE intent = said_intent"
    " AND keyword = said_keyword AND form IN (SELECT value FROM carray(:forms)))"
)
_ROWS: Final = (  # the plus sign: else all intents of the agent would be looked through for each page
    f"SELECT number, {', '.join(COLUMNS)} FROM intents"
    " WHERE number IN (SELECT value FROM carray(:numbers)) AND +agent = :agent{may_fire} ORDER BY number"
)
_MAY_FIRE: Final = (
    " AND (+status = 'armed' OR (+status = 'fired' AND rests_until <= :now))"
    " AND (expires_at IS NULL OR +expires_at > :now)"
    " AND (scope <> 'conversation' OR conversation_id IS NULL OR conversation_id = :conversation)"
)


class SaidEvent(NamedTuple):
    """An event and the places of its keywords of which a message has a form of every word."""

    row: IntentRow
    keywords: Sequence[int]


def set_words(connection: apsw.Connection, number: int, forms: KeywordForms) -> None:
    """Replace the words that an intent is found by."""
    drop_words(connection, number)
    connection.executemany(
        "INSERT OR IGNORE INTO intent_words VALUES (?, ?, ?, ?)",
        [
            (number, keyword, word, form)
            for keyword, words in enumerate(forms)
            for word, found in enumerate(words)
            for form in found
        ],
    )
    for keyword, words in enumerate(forms):
        if words and all(words):  # what has no form can never be said
            anchor = min(words, key=lambda word: (_count_anchored(connection, word), -len(word[0])))
            connection.executemany(
                "INSERT OR IGNORE INTO intent_anchors VALUES (?, ?, ?, ?)",
                [(form, number, keyword, len(words)) for form in anchor],
            )


def drop_words(connection: apsw.Connection, number: int) -> None:
    """Let no message find an intent any more."""
    connection.execute("DELETE FROM intent_words WHERE intent = ?", (number,))
    connection.execute("DELETE FROM intent_anchors WHERE intent = ?", (number,))


def find_said(
    connection: apsw.Connection,
    agent: str,
    forms: Sequence[str],
    now: datetime,
    *,
    conversation_id: str | None,
) -> Iterator[SaidEvent]:
    """The events that may fire and of which a message with ``forms`` has a whole keyword, oldest first.

    Left out are those that hold in another conversation alone; whether they hold in this one is for the
    caller to see. They are read as they are taken.
    """
    facts = {"agent": agent, "now": to_stamp(now), "conversation": conversation_id}
    yield from _read_said(connection, forms, _ROWS.format(may_fire=_MAY_FIRE), facts)


def find_all_said(connection: apsw.Connection, agent: str, forms: Sequence[str]) -> Iterator[SaidEvent]:
    """The same, wherever they hold and whether they may fire or not."""
    yield from _read_said(connection, forms, _ROWS.format(may_fire=""), {"agent": agent})


def _read_said(
    connection: apsw.Connection, forms: Sequence[str], query: str, facts: Mapping[str, str | None]
) -> Iterator[SaidEvent]:
    if not forms:  # apsw takes no empty array
        return
    said = apsw.carray(tuple(forms))
    anchored = groupby(connection.execute(_ANCHORED, (said,)), key=itemgetter(0))
    while page := [one for _, found in islice(anchored, _PAGE) for one in dict.fromkeys(found)]:
        keywords = _find_whole(connection, page, said)
        if not keywords:
            continue
        numbers = apsw.carray(array("q", keywords))
        for row in map(read_row, connection.execute(query, {**facts, "numbers": numbers})):
            yield SaidEvent(row, keywords[row.number])


def _find_whole(
    connection: apsw.Connection, anchored: Sequence[tuple[int, int, int]], said: Any
) -> dict[int, list[int]]:
    """By intent, in order, the keywords of which all words are said, of those of which the anchor is."""
    several = [one for one in anchored if one[2] > 1]
    found = connection.execute(_WHOLE, {"several": json.dumps(several), "forms": said}) if several else ()
    whole = set(found)
    keywords: dict[int, list[int]] = {}
    for intent, keyword, words in anchored:
        if words == 1 or (intent, keyword) in whole:
            keywords.setdefault(intent, []).append(keyword)
    return keywords


def drop_closed_words(connection: apsw.Connection, before: datetime, most: int) -> int:
    """Delete the words of up to ``most`` closed intents that fired last before then; of how many.

    Until then a fire may be given back, and the intent is open again.
    """
    numbers = connection.execute(
        f"SELECT number FROM intents WHERE status NOT IN ({_OPEN}) AND coalesce(last_fired_at, '') < ?"
        " AND number IN (SELECT intent FROM intent_words) LIMIT ?",
        (to_stamp(before), most),
    ).fetchall()
    for (number,) in numbers:
        drop_words(connection, int(str(number)))
    return len(numbers)


def read_analysis(connection: apsw.Connection) -> str | None:
    """The identity of the analysis that the words were made with."""
    row = connection.execute("SELECT identity FROM intent_analysis").fetchone()
    return None if row is None else str(row[0])


def set_analysis(connection: apsw.Connection, identity: str) -> None:
    """Note that all words are of this analysis."""
    connection.execute("DELETE FROM intent_analysis")
    connection.execute("INSERT INTO intent_analysis VALUES (?)", (identity,))


def open_events(connection: apsw.Connection) -> list[tuple[int, tuple[str, ...]]]:
    """Number and keywords of every open event."""
    rows = connection.execute(f"SELECT number, keywords FROM intents WHERE status IN ({_OPEN})")
    return [(int(str(number)), tuple(json.loads(str(keywords)))) for number, keywords in rows]


def _count_anchored(connection: apsw.Connection, word: Sequence[str]) -> int:
    """How many keywords are anchored by a word; what is common is not counted to the end."""
    (count,) = connection.execute(
        "SELECT count(*) FROM (SELECT 1 FROM intent_anchors WHERE form = ? LIMIT ?)", (word[0], _MOST_COUNTED)
    ).fetchone() or (0,)
    return int(str(count))
