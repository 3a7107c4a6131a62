"""What a claim is about: a few words by which it belongs with others. Pure."""

import posixpath
import re
from collections.abc import Iterable, Iterator
from typing import Final

from openclaw_memd.domain.folding import fold, normalize
from openclaw_memd.domain.scripts import HANGUL
from openclaw_memd.domain.short_term import is_session_path
from openclaw_memd.domain.stopwords import (
    CHINESE_CHARACTERS,
    CHINESE_PHRASES,
    JAPANESE_PHRASES,
    KOREAN_PARTICLES,
    LISTS,
)

MOST_TAGS: Final = 8  # OpenClaw's values, like the next three
LONGEST_CHARS: Final = 32
LEAST_CHARS: Final = 3
LEAST_CJK_CHARS: Final = 2
_LONGEST_RUN: Final = 6


# Terms of the trade that are too short, or stand in text without spaces.
_GLOSSARY: Final = """
backup backups embedding embeddings failover gateway glacier gpt kv network openai qmd router s3 vlan
sauvegarde routeur passerelle réseau sicherung netzwerk copia enrutador pasarela respaldo red
バックアップ ゲートウェイ ルーター ネットワーク 埋め込み 障害対応
备份 備份 网关 網關 路由器 网络 網絡 嵌入 故障转移
백업 게이트웨이 라우터 네트워크 임베딩 резервная шлюз роутер сеть
"""
_PROTECTED: Final = tuple(dict.fromkeys(normalize(term).lower() for term in _GLOSSARY.split()))

_COMMENT: Final = re.compile(r"<!--.*?(?:-->|$)", re.DOTALL)
_HAN: Final = r"\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff"
_KANA: Final = r"\u3041-\u309f\u30a0-\u30ff\u31f0-\u31ff"
_HANGUL: Final = r"\u1100-\u11ff\uac00-\ud7a3"
_CJK: Final = re.compile(f"[{_HAN}{_KANA}{_HANGUL}]")
_COMPOUND: Final = re.compile(r"[^\W_]+(?:[._/-]+[^\W_]+)+")
_WORD: Final = re.compile(rf"[{_HAN}]+|[\u30a0-\u30ff]+|[{_HANGUL}]+|(?:(?![{_HAN}{_KANA}{_HANGUL}])[^\W_])+")
_NO_WORD: Final = re.compile(r"[\d\W_]+")
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}[-_. ]?")
_DATED: Final = re.compile(r"\d{4}-\d{2}-\d{2}(?:[.-]\w+)?")
_ZONES: Final = "africa america antarctica asia atlantic australia etc europe indian pacific us"
_NO_TEXT: Final = re.compile(
    rf"<[^<>\n]{{0,200}}>|\b(?:{'|'.join(_ZONES.split())})/[A-Za-z][\w/+-]*|\[message_id:[^\]\n]*\]"
    r"|\b(?:begin|end)_(?:memd|external|untrusted)\w*",
    re.IGNORECASE,
)
_LABELS: Final = frozenset(
    (
        *(
            "todo",
            "todos",
            "to-do",
            "note",
            "notes",
            "task",
            "tasks",
            "misc",
            "inbox",
            "log",
            "journal",
            "diary",
        ),
        *("notiz", "notizen", "aufgabe", "aufgaben", "nota", "notas", "tarea", "tareas", "tarefa", "tarefas"),
        *("заметка", "заметки", "задача", "задачи", "utc", "gmt", "cet", "cest"),
    )
)
_PATH_NOISE: Final = frozenset(
    ("md", "txt", "json", "jsonl", "ts", "js", "py", "memory", "notes", "untrusted")
)
_STOP: Final = frozenset().union(*LISTS.values()) | _PATH_NOISE | _LABELS
_HAN_BORDER: Final = re.compile(
    "|".join(
        sorted(
            (re.escape(word) for word in (*CHINESE_PHRASES, *JAPANESE_PHRASES, *CHINESE_CHARACTERS)),
            key=len,
            reverse=True,
        )
    )
)


def find_tags(path: str, text: str) -> tuple[str, ...]:
    """At most eight tags of a claim, in lower case: terms of the trade, names, then words, as they come.

    The name of a note counts, but for its date; that of a session does not.
    """
    name = "" if is_session_path(path) else posixpath.basename(path).removesuffix(".md")
    said = _NO_TEXT.sub(" ", _COMMENT.sub(" ", f"{_DATE.sub(' ', name)} {text}"))
    whole = normalize(said).lower()
    found: dict[str, None] = {}
    for token in _tokens(whole):
        tag = _tag(token)
        if tag is not None:
            found.setdefault(tag)
            if len(found) == MOST_TAGS:
                break
    return tuple(found)


def _tokens(text: str) -> Iterator[str]:
    for term in _PROTECTED:
        if term in text and (_CJK.search(term) or re.search(rf"(?<![\w-]){re.escape(term)}(?![\w-])", text)):
            yield term
    compounds = _COMPOUND.findall(text)
    yield from compounds
    yield from _words(_COMPOUND.sub(" ", text))
    for compound in compounds:
        yield from _words(re.sub(r"[._/-]", " ", compound))


def _words(text: str) -> Iterator[str]:
    for word in _WORD.findall(text):
        if HANGUL.search(word):
            yield _without_particle(word)
        elif _CJK.search(word):
            yield from _cut(_HAN_BORDER.split(word))
        else:
            yield word


def _cut(pieces: Iterable[str]) -> Iterator[str]:
    for piece in pieces:
        for start in range(0, len(piece), _LONGEST_RUN):
            yield piece[start : start + _LONGEST_RUN]


def _without_particle(word: str) -> str:
    particle = next((one for one in KOREAN_PARTICLES if word.endswith(one) and len(word) > len(one) + 1), "")
    return word.removesuffix(particle)


def _tag(token: str) -> str | None:
    tag = token.strip("._/- ").replace("_", "-")
    if not tag or len(tag) > LONGEST_CHARS:
        return None
    if tag in _PROTECTED:
        return tag
    if not _is_long(tag) or _NO_WORD.fullmatch(tag) or _DATED.fullmatch(tag):
        return None
    return None if fold(tag) in _STOP else tag


def _is_long(word: str) -> bool:
    if _CJK.search(word) is None:
        return len(word) >= LEAST_CHARS
    is_kana = re.fullmatch(f"[{_KANA}]+", word) is not None
    return len(word) >= (LEAST_CHARS if is_kana else LEAST_CJK_CHARS)
