"""Text that is a command and nothing else: what it is for is missing, so it is no memory. Pure."""

import re
from typing import Final

_CODE: Final = re.compile(r"`+[^`\n]+`+[.;]?")
_PROMPT: Final = re.compile(r"(?:\$|%|❯|(?:[\w.-]+@)?[\w.-]+:[~/\w.-]*[$#])\s+\S.*")
_PROGRAM: Final = re.compile(
    r"(?P<sudo>sudo\s+)?(?:apt(?:-get)?|aws|brew|bundle|cargo|cat|cd|chmod|chown|cmake|conda|cp|curl|dnf|docker(?:-compose)?"
    r"|export|gh|git|go|gradle|grep|helm|journalctl|kill|kubectl|ls|make|mkdir|mv|mvn|node|npm|npx|pip3?|pnpm|podman"
    r"|poetry|psql|pytest|python3?|rm|rsync|scp|sed|source|ssh|systemctl|tail|tar|terraform|touch|uv|wget|yarn)"
    r"(?=\s)(?P<rest>.*)"
)
_OPERATOR: Final = re.compile(r"\s--?[A-Za-z]|\s(?:&&|\|\||\||>>?|<)\s|(?:^|\s)(?:\.{0,2}/|~/)\S|=\S")
_SENTENCE: Final = re.compile(r"[.!?:;,](?:\s|$)|[。！？，；：]")
_KNOWN: Final = re.compile(
    r"git (?:fetch|pull|push|rebase|reset) (?:origin|upstream)(?:[ /][\w./-]+)?"
    r"|docker compose (?:build|down|logs|ps|pull|restart|up)(?: [\w-]+)?"
)
_FEW_WORDS: Final = 3


def is_bare_command(text: str) -> bool:
    """Whether a text of one line is code, or a line as it is typed into a shell, and no sentence about it."""
    text = text.strip()
    if _CODE.fullmatch(text) or _PROMPT.fullmatch(text):
        return True
    match = _PROGRAM.fullmatch(text)
    if match is None or _SENTENCE.search(match["rest"]):
        return False
    if _KNOWN.fullmatch(text):
        return True
    is_short = len(match["rest"].split()) < _FEW_WORDS
    return is_short or bool(match["sudo"] or _OPERATOR.search(match["rest"]))
