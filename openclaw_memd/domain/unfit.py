"""What is no lasting memory: secrets, dumps of logs, diffs, phone numbers, and talk of a moment."""

import re
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from openclaw_memd.domain.curated_files import bare_text
from openclaw_memd.domain.folding import fold
from openclaw_memd.domain.secrets import mask_secrets


class Unfit(StrEnum):
    """Why a text is no lasting memory. The set is closed; each has a ``description``."""

    SECRET = "secret"
    LOG_DUMP = "log_dump"
    DIFF = "diff"
    PHONE_NUMBER = "phone_number"
    CHAT = "chat"

    @property
    def description(self) -> str:
        """One plain sentence for people."""
        return _DESCRIPTIONS[self]


_DESCRIPTIONS = {
    Unfit.SECRET: "It holds what looks like a secret: keep it in a password store.",
    Unfit.LOG_DUMP: "It holds lines of a log or a stack trace: keep what follows from them.",
    Unfit.DIFF: "It holds a diff: keep what was decided, and the change in version control.",
    Unfit.PHONE_NUMBER: "It holds a phone number: keep it in an address book.",
    Unfit.CHAT: "It is talk of a moment, not a memory.",
}

_TIME: Final = (
    r"(?:\d{4}-\d\d-\d\d[T ]|\d\d/\d\d/\d{4} |[A-Z][a-z]{2} [ \d]\d )?\d\d:\d\d:\d\d(?:[.,]\d+)?\S{0,6}"
)
_LEVEL: Final = r"\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL)\b"
_LOG_LINE: Final = re.compile(
    rf"\W{{0,4}}{_TIME}\W{{0,3}}(?:\S{{1,40}} ){{0,3}}{_LEVEL}|\W{{0,4}}{_LEVEL}\W{{1,4}}{_TIME}"
)
_STAMPED: Final = re.compile(rf"\W{{0,4}}{_TIME}\s\S")
_FRAME: Final = re.compile(
    r"\s*(?:at [\w.$<>\[\] ]{1,200}\(.{0,200}:\d+(?::\d+)?\)|File \".{1,200}\", line \d+"
    r"|#\d{1,3} +0x[0-9a-f]+ )"
)
_TRACE: Final = re.compile(
    r"\W*(?:Traceback \(most recent call last\):|Exception in thread |panic: |goroutine \d+ \[)"
)
_FEW: Final = 3
_DIFF: Final = re.compile(r"\W{0,4}(?:diff --git \S|@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|Index: \S+$)")
_OLD: Final = re.compile(r"\s*--- \S")
_NEW: Final = re.compile(r"\s*\+\+\+ \S")
_INTERNATIONAL: Final = re.compile(r"(?<![\w+.-])(?:\+|00)[1-9](?:[ ()/.-]{0,2}\d){7,13}(?![\w]|[.-]\d)")
_NATIONAL: Final = re.compile(r"(?<![\w.-])(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}(?![\w]|[.-]\d)")
_CALLED: Final = re.compile(
    r"(?:\b(?:phone|mobile|cell|tel|telefon|handy|telefono|movil|telefone|celular|telephone|portable|телефон|тел)\b"
    r"|电话|電話|手机|手機|전화|휴대폰)[^\n\d]{0,24}(\d[\d ()/.-]{5,20}\d)"
)
_SPEAKER: Final = re.compile(r"\W{0,4}(?:user|(assistant)|human|ai|bot)\s*:\s*\S", re.IGNORECASE)
_TALK: Final = re.compile(
    r"(?:(?:ok|okay|yes|yep|no|sure|thank you|thanks?|thx|lol|haha|hi|hello|hey|bye|got it|sounds good"
    r"|great|nice|danke|hallo|ja|nein|gracias|hola|si|obrigad[oa]|ola|merci|bonjour|oui|salut|спасибо|привет|да|хорошо"
    r"|谢谢|謝謝|你好|好的|嗯|ありがとう(?:ございます)?|こんにちは|はい|감사합니다|안녕(?:하세요)?|네)\W*)+"
)
_LONGEST_TALK_CHARS: Final = 80


def find_unfit(text: str) -> list[tuple[Unfit, int]]:
    """Why the text of an entry is no lasting memory, each reason once, and the index of its line."""
    lines = text.split("\n")
    found: list[tuple[Unfit, int]] = []
    if mask_secrets(text) != text:
        alone = (index for index, line in enumerate(lines) if mask_secrets(line) != line)
        found.append((Unfit.SECRET, next(alone, 0)))
    for reason, index in (
        (Unfit.LOG_DUMP, _find_log(lines)),
        (Unfit.DIFF, _find_diff(lines)),
        (Unfit.PHONE_NUMBER, _find_phone(lines)),
        (Unfit.CHAT, _find_talk(text, lines)),
    ):
        if index is not None:
            found.append((reason, index))
    return found


def _find_log(lines: Sequence[str]) -> int | None:
    certain = (index for index, line in enumerate(lines) if _LOG_LINE.match(line) or _TRACE.match(line))
    first = next(certain, None)
    if first is not None:
        return first
    for pattern, least in ((_FRAME, 2), (_STAMPED, _FEW)):
        matched = [index for index, line in enumerate(lines) if pattern.match(line)]
        if len(matched) >= least:
            return matched[0]
    return None


def _find_diff(lines: Sequence[str]) -> int | None:
    for index, line in enumerate(lines):
        below = lines[index + 1] if index + 1 < len(lines) else ""
        if _DIFF.match(line) or (_OLD.match(line) and _NEW.match(below)):
            return index
    return None


def _find_phone(lines: Sequence[str]) -> int | None:
    for index, line in enumerate(lines):
        if _INTERNATIONAL.search(line) or _NATIONAL.search(line) or _CALLED.search(fold(line)):
            return index
    return None


def _find_talk(text: str, lines: Sequence[str]) -> int | None:
    said = [(index, match) for index, line in enumerate(lines) if (match := _SPEAKER.match(line))]
    if len(said) > 1 or any(match[1] for _, match in said):  # "User: Ana" alone may well be a fact
        return said[0][0]
    bare = bare_text(text)
    return 0 if len(bare) <= _LONGEST_TALK_CHARS and _TALK.fullmatch(fold(bare)) else None
