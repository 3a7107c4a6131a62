"""What the entries of USER.md are to be: standing orders, one each, that say when they were given.

An order begins with Always, Never or Prefer, or the like in the language that it is written in. Nothing is
changed or refused for want of it: that is for people and for ``lint`` to say.
"""

import re
from typing import Final

from openclaw_memd.domain.curated_files import bare_text
from openclaw_memd.domain.folding import fold

_FIRST_WORDS: Final = 5
"""Languages put the word that makes an order behind the verb: "Antworte mir bitte immer auf Deutsch"."""

_OPENERS: Final = re.compile(r"(?:please\s+)?(?:always|never|prefer)\b")
_WITHIN: Final = re.compile(
    r"\b(?:"
    r"siempre|nunca|jamas|prefiere|prefiera|prefieran|preferir"
    r"|sempre|jamais|prefira|prefere|prefiram|de preferencia"
    r"|immer|stets|nie|niemals|bevorzug(?:e|en|t)|vorzugsweise|am liebsten"
    r"|toujours|prefer(?:e|es|ez|er)|privilegi(?:e|ez|er)|de preference"
    r"|всегда|никогда|предпочита(?:й|йте|ть)|предпочти(?:те)?"
    r")\b"
)
_UNSPACED: Final = re.compile(
    "总是|總是|始终|始終|一直|一律|务必|務必|必须|必須|永远|永遠|从不|從不|绝不|絕不|决不|決不|不要|切勿|请勿|請勿"
    "|禁止|优先|優先|首选|首選|尽量|盡量|宁可|寧可"
    "|常に|つねに|必ず|かならず|いつも|決して|けっして|絶対に|なるべく|できるだけ|できれば"
    "|항상|언제나|반드시|절대|결코|가급적|되도록|우선"
)
_CLAUSES: Final = re.compile(r"[.!?;\n]+(?:\s|$)|[。！？；]")
_JOINED: Final = re.compile(r"\b(?:and|but)\s+(?:always|never|prefer)\b")


def is_order(text: str) -> bool:
    """Whether a bare text begins as an order does."""
    folded = fold(text)
    first = " ".join(folded.split()[:_FIRST_WORDS])
    return bool(_OPENERS.match(folded) or _WITHIN.search(first) or _UNSPACED.search(_first_clause(folded)))


def count_orders(text: str) -> int:
    """How many orders the text of an entry gives."""
    clauses = [
        clause
        for line in text.split("\n")
        for clause in _CLAUSES.split(fold(bare_text(line)))
        if clause.strip()
    ]
    return sum(is_order(clause.strip()) for clause in clauses) + sum(
        len(_JOINED.findall(clause)) for clause in clauses
    )


def _first_clause(text: str) -> str:
    return _CLAUSES.split(text, maxsplit=1)[0]
