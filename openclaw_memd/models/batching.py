"""How many texts go together."""

from collections.abc import Iterator, Sequence


def pack(texts: Sequence[str], *, most_texts: int, most_bytes: int) -> list[str]:
    """The first of ``texts`` that fit together, at least one; ``most_bytes`` counts UTF-8."""
    batch, size = list[str](), 0
    for text in texts[:most_texts]:
        size += len(text.encode())
        if batch and size > most_bytes:
            break
        batch.append(text)
    return batch


def pack_all(texts: Sequence[str], *, most_texts: int, most_bytes: int) -> Iterator[list[str]]:
    """All of ``texts``, packed one batch after the other."""
    done = 0
    while done < len(texts):
        batch = pack(texts[done:], most_texts=most_texts, most_bytes=most_bytes)
        yield batch
        done += len(batch)
