"""What is said, apart from where: two candidates with the same claim and trust are one. Pure."""

import re
from hashlib import blake2b
from typing import Final

from openclaw_memd.domain.annotations import strip_annotations
from openclaw_memd.domain.folding import normalize
from openclaw_memd.domain.provenance import Origin, is_trusted

CLAIM_CHARS: Final = 800  # OpenClaw's value
_BULLET: Final = re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")


def claim_text(text: str) -> str:
    """``text`` in one line, without its bullet and annotations, at most 800 code points."""
    lines = (_BULLET.sub("", line).strip() for line in strip_annotations(text).split("\n"))
    return " ".join(" ".join(line for line in lines if line).split())[:CLAIM_CHARS].rstrip()


def claim_key(text: str, origin: Origin) -> str:
    """What a candidate is known by: the hash of what ``text`` says, and whether it is trusted.

    Trust is part of it, so that text from outside can neither promote nor block what the owner wrote. All of
    the text counts, however long it is; case, spacing and Unicode forms do not.
    """
    lines = (_BULLET.sub("", line) for line in strip_annotations(text).split("\n"))
    said = " ".join(" ".join(lines).split())
    digest = blake2b(normalize(said).casefold().encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
    return f"{'t' if is_trusted(origin) else 'u'}{digest}"
