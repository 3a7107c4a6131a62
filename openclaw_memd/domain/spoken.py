"""What a person says in a message: not what is quoted in it, and not what was put into it. Pure."""

from typing import Final

from openclaw_memd.domain.fences import lines_outside_fences
from openclaw_memd.domain.recall_guard import strip_recalled

SPOKEN_BYTES: Final = 4096  # the end of a long message has what it is about
_LOOK_BYTES: Final = 65536  # fences and blocks that begin before that are not known


def spoken_text(message: str, limit_bytes: int = SPOKEN_BYTES) -> str:
    """The end of ``message``, without code blocks, quoted lines and recalled memory.

    It has at most ``limit_bytes`` in UTF-8; a character that the limit would cut goes.
    """
    text = strip_recalled(_end(message, _LOOK_BYTES))
    lines = (line for _, line in lines_outside_fences(text.split("\n")))
    return _end("\n".join(line for line in lines if not _is_quoted(line)), limit_bytes)


def _is_quoted(line: str) -> bool:
    return line.lstrip().startswith(">")


def _end(text: str, limit_bytes: int) -> str:
    if len(text) * 4 <= limit_bytes:
        return text
    data = text[-limit_bytes:].encode("utf-8", "surrogatepass")[-limit_bytes:]
    return data.decode("utf-8", "ignore")
