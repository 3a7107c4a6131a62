"""Names of the notes that memd writes: by day, by slug, and apart for text that nobody vouches for."""

import re
import unicodedata
from datetime import date

from openclaw_memd.domain.folding import normalize

FOLDER = "memory"
SLUG_CHARS = 64
SLUG_BYTES = 160
"""File systems take names of 255 bytes; the date and what is added at the end need the rest."""

_UNTRUSTED = "untrusted"
_BETWEEN = re.compile("-{2,}")


def note_path(day: date, *, is_trusted: bool, slug: str | None = None, number: int = 1) -> str:
    """The note of ``day``; ``number`` tells apart those of one slug, from 2 on.

    Text that is not trusted has a file of its own, which ends with ``-untrusted.md``.
    """
    parts = [day.isoformat()]
    if slug is not None:
        parts.append(slug)
    if number > 1:
        parts.append(str(number))
    if not is_trusted:
        parts.append(_UNTRUSTED)
    return f"{FOLDER}/{'-'.join(parts)}.md"


def make_slug(text: str) -> str | None:
    """``text`` as a part of a file's name, None when nothing is left of it.

    Letters, their marks and digits of every script stay, in lower case; all else becomes one hyphen. At most
    64 characters and 160 bytes. The word that marks untrusted notes is cut from the end, so that no slug
    leads there.
    """
    letters = [letter if _is_kept(letter) else "-" for letter in normalize(text).lower()]
    slug = _BETWEEN.sub("-", unicodedata.normalize("NFC", "".join(letters))).strip("-")[:SLUG_CHARS]
    slug = slug.encode()[:SLUG_BYTES].decode("utf-8", "ignore").strip("-")
    while slug == _UNTRUSTED or slug.endswith(f"-{_UNTRUSTED}"):
        slug = slug.removesuffix(_UNTRUSTED).rstrip("-")
    return slug or None


def note_header(day: date, zone: str, *, is_trusted: bool) -> str:
    """The first line of a new note. ``zone`` is how people name the time zone."""
    if is_trusted:
        return f"# {day.isoformat()} ({zone})"
    return f"# {day.isoformat()}: from outside, not trusted ({zone})"


def _is_kept(letter: str) -> bool:
    category = unicodedata.category(letter)
    return category[0] in "LM" or category == "Nd"
