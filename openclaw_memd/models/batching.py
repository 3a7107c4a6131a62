"""How many texts go together."""

from collections.abc import Iterator, Sequence
from typing import Final

_NEWS_SHARE: Final = 0.3
"""How much one batch counts against all before it: a busy machine is noticed after a few."""


def pack(texts: Sequence[str], *, most_texts: int, most_bytes: int) -> list[str]:
    """The first of ``texts`` that fit together, at least one; ``most_bytes`` counts UTF-8."""
    batch, size = list[str](), 0
    for text in texts[:most_texts]:
        size += len(text.encode())
        if batch and size > most_bytes:
            break
        batch.append(text)
    return batch


class Pace:
    """How many bytes of text the model embeds in ``goal_s``, from what it did lately: between ``least_bytes``
    and ``most_bytes``, and the least at first.
    """

    def __init__(self, *, goal_s: float, least_bytes: int, most_bytes: int) -> None:
        self._goal_s = goal_s
        self._least_bytes = least_bytes
        self._most_bytes = most_bytes
        self._bytes_per_s: float | None = None

    @property
    def batch_bytes(self) -> int:
        """What goes together next."""
        if self._bytes_per_s is None:
            return self._least_bytes
        return max(self._least_bytes, min(self._most_bytes, int(self._bytes_per_s * self._goal_s)))

    def note(self, texts: Sequence[str], took_s: float) -> None:
        """``texts`` were embedded together in this time."""
        if took_s > 0:
            now = sum(len(text.encode()) for text in texts) / took_s
            before = self._bytes_per_s
            self._bytes_per_s = now if before is None else before + _NEWS_SHARE * (now - before)


def pack_all(texts: Sequence[str], *, most_texts: int, most_bytes: int) -> Iterator[list[str]]:
    """All of ``texts``, packed one batch after the other."""
    done = 0
    while done < len(texts):
        batch = pack(texts[done:], most_texts=most_texts, most_bytes=most_bytes)
        yield batch
        done += len(batch)
