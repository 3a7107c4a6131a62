"""What a statement is about, and whether another says something different of it. Pure.

It is a hint for people: nothing is replaced because of it. Of statements that are built in another way than
subject, verb, value it knows nothing.
"""

import re
from typing import Final

from openclaw_memd.domain.folding import fold
from openclaw_memd.domain.sense import ARTICLES

_SUBJECT_WORDS: Final = 8
_VERB: Final = re.compile(
    r"\s(?P<verb>is|are|was|were|has|uses?|runs?|lives?|listens|works?|starts?|ends?"
    r"|ist|sind|war|hat|nutzt|läuft|wohnt|heisst|heißt"
    r"|es|está|son|tiene|usa|vive|são|tem|mora|fica|est|sont|habite|utilise"
    r"|является|живёт|живет|работает)\s",
    re.IGNORECASE,
)
_VERB_UNSPACED: Final = re.compile(r"(?P<verb>是|位于|位於|使用|は|が|은|는)")
_UNSPACED_SUBJECT_CHARS: Final = 16


def contradicts(one: str, other: str) -> bool:
    """Whether two bare texts say something different of the same subject with the same verb."""
    left, right = _split(one), _split(other)
    return left is not None and right is not None and left[0] == right[0] and left[1] != right[1]


def _split(text: str) -> tuple[tuple[str, str], str] | None:
    """Subject and verb, and what is said of it."""
    if match := _VERB.search(text):
        words = [word for word in map(fold, text[: match.start()].split()) if word not in ARTICLES]
        if 0 < len(words) <= _SUBJECT_WORDS:
            return (" ".join(words), fold(match["verb"])), _value(text[match.end() :])
        return None
    match = _VERB_UNSPACED.search(text)
    if match is None or not 0 < match.start() <= _UNSPACED_SUBJECT_CHARS:
        return None
    return (text[: match.start()].strip(), match["verb"]), _value(text[match.end() :])


def _value(text: str) -> str:
    return " ".join(map(fold, text.split())).rstrip(" .!。")
