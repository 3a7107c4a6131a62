"""What holds for each of the two curated files, and what an entry in them says and is about."""

import re
import unicodedata
from hashlib import blake2b
from typing import Final, Literal

from openclaw_memd.domain.annotations import Annotations, strip_annotations
from openclaw_memd.domain.comments import strip_comments
from openclaw_memd.domain.line_hashes import HASH_BYTES
from openclaw_memd.domain.lineage import strip_lineage
from openclaw_memd.domain.markdown import Entry
from openclaw_memd.domain.sayings import strip_markers
from openclaw_memd.domain.similarity import near_duplicate, outline
from openclaw_memd.domain.text import Analyzer

CuratedFile = Literal["MEMORY.md", "USER.md"]
MEMORY: Final = "MEMORY.md"
USER: Final = "USER.md"
CURATED_FILES: Final[tuple[CuratedFile, ...]] = (MEMORY, USER)

MEMORY_CHARS: Final = 10_000
"""The most of MEMORY.md that is of use; the bootstrap budget of a file may be smaller."""

MOST_ENTRIES: Final = 20_000
"""How many entries of a curated file are of use: far above what people write, and what a machine that shares
its processors still looks through in a second or so. Those after them are not shown, nothing is added to such
a file, and what is deleted from it is not kept in mind."""

_MEMORIES: Final = frozenset({"item", "labels", "paragraph", "code"})
_SPACE: Final = re.compile(r"\s+")


def budget_chars(file: str, *, file_chars: int, user_chars: int) -> int:
    """How long a curated file may be, in code points; the limits are those of ``[inject]``."""
    return min(MEMORY_CHARS, file_chars) if file == MEMORY else min(user_chars, file_chars)


def is_memory(entry: Entry) -> bool:
    """Whether ``entry`` says something, which comments, rules and front matter do not."""
    return entry.kind in _MEMORIES


def is_active(entry: Entry) -> bool:
    """Whether ``entry`` holds, as far as its status tells."""
    return is_memory(entry) and entry.annotations.status != "superseded"


def scope_of(file: str, annotations: Annotations) -> frozenset[str]:
    """The projects that an entry is limited to; what is in USER.md applies everywhere."""
    return frozenset() if file == USER else frozenset(annotations.projects)


def bare_text(text: str) -> str:
    """What an entry says, in one form: without its marker, comments, line ends and where it comes from.

    An entry of comments alone says these.
    """
    plain = strip_markers(strip_lineage(strip_annotations(text)).strip())
    if "<!--" in plain:
        lines = plain.split("\n")
        plain = strip_lineage("\n".join(map(strip_comments, lines))).strip() or plain
    return unicodedata.normalize("NFC", _SPACE.sub(" ", plain).strip())


def says_same(left: str, right: str, analyzer: Analyzer) -> bool:
    """Whether two bare texts are near-duplicates. Those without words are only when they are equal."""
    return left == right or (bool(outline(left, analyzer).words) and near_duplicate(left, right, analyzer))


def hash_memory(text: str) -> bytes:
    """BLAKE2b of what the entry with this text says, 16 bytes."""
    return blake2b(bare_text(text).encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES).digest()
