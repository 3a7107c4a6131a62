"""What somebody wrote to an earlier version of a file, as lines that its present version may lack. Pure."""

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Final

_NUL: Final = "\\x00"


@dataclass(frozen=True, slots=True)
class Late:
    """Lines without their ends.

    ``is_anew`` says that the version was written as a whole, so that each of them may be in the present one
    already. ``torn`` is the unfinished line that the first of ``lines`` goes on from. ``base`` is the version
    without them.
    """

    lines: tuple[bytes, ...] = ()
    is_anew: bool = False
    torn: bytes | None = None
    base: bytes = field(default=b"", compare=False, repr=False)

    def __bool__(self) -> bool:
        return any(line.strip() for line in self.lines)

    @property
    def data(self) -> bytes:
        """The lines with their ends."""
        return b"".join(line + b"\n" for line in self.lines)


def find_late(base: bytes, content: bytes) -> Late:
    """What ``content`` has that ``base``, which it was before, had not.

    Of a version that was written anew, or was empty, these are the lines that are in it more often; what it
    lacks tells nothing, since nobody knows from when it is.
    """
    if base and content.startswith(base):
        return replace(_find_appended(base, content[len(base) :]), base=base)
    had = Counter(_lines(base))
    late = []
    for line in _lines(content):
        if had[line]:
            had[line] -= 1
        elif line.strip():
            late.append(line)
    return Late(tuple(late), is_anew=True)


def add_late(text: str, late: Late) -> str:
    """``text`` with the late lines at its end, unless it has them by now.

    Bytes that are no text are written as escapes, so that the rest stays readable.
    """
    lines = [_decode(line) for line in late.lines]
    if late.torn is not None and lines:
        text, is_mended = _mend(text, _decode(late.torn), lines[0])
        lines = lines[1:] if is_mended else lines
    if late.is_anew:
        present = set(text.split("\n"))
        lines = [line for line in lines if line not in present]
    if not any(line.strip() for line in lines) or (not late.is_anew and _has(text, late.base, lines)):
        return text
    lead = text if not text or text.endswith("\n") else text + "\n"
    return lead + "".join(line + "\n" for line in lines)


def _has(text: str, base: bytes, lines: list[str]) -> bool:
    """Whether all of ``lines`` came into ``text`` since the base by another way: an editor that saves twice
    may have met both versions.
    """
    came = Counter(text.split("\n")) - Counter(map(_decode, _lines(base)))
    wanted = Counter(line for line in lines if line.strip())
    return not wanted - came


def _find_appended(base: bytes, rest: bytes) -> Late:
    if not rest:
        return Late()
    begun = base.rsplit(b"\n", 1)[-1]
    if begun and rest.startswith((b"\n", b"\r\n")):
        return Late(tuple(_lines(rest))[1:])
    if begun:
        return Late(tuple(_lines(begun + rest)), torn=begun)
    return Late(tuple(_lines(rest)))


def _mend(text: str, begun: str, whole: str) -> tuple[str, bool]:
    """``text`` with the last line that is ``begun`` made ``whole``, if there is one."""
    lines = text.split("\n")
    for index in range(len(lines) - 1, -1, -1):
        if lines[index] == begun:
            lines[index] = whole
            return "\n".join(lines), True
    return text, False


def _lines(data: bytes) -> list[bytes]:
    lines = [line.removesuffix(b"\r") for line in data.split(b"\n")]
    return lines if lines[-1] else lines[:-1]


def _decode(line: bytes) -> str:
    return line.decode("utf-8", "backslashreplace").replace("\0", _NUL)
