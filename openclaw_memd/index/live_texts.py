"""Which texts the index holds now, newest first."""

from collections.abc import Iterable, Iterator


class LiveTexts:
    """A multiset of text hashes in order of change: one occurrence for each chunk that has the text.

    A text is live as long as one chunk has it, so the chunks of one file may come and go without regard to
    copies of their text elsewhere.
    """

    def __init__(self) -> None:
        self._last: dict[bytes, int] = {}  # hash -> number of its last addition, in this order
        self._copies: dict[bytes, int] = {}  # occurrences beside the first; few texts have any
        self._additions = 0

    def __len__(self) -> int:
        return len(self._last)

    def __contains__(self, text_hash: bytes) -> bool:
        return text_hash in self._last

    def __iter__(self) -> Iterator[bytes]:
        """Most recently changed first."""
        return reversed(self._last)

    def replace(self, newest_first: Iterable[bytes]) -> list[bytes]:
        """Set the whole multiset; the hashes that came or went."""
        before = self._last
        self._last = {}
        self._copies = {}
        self.add(reversed(list(newest_first)))
        return [h for h in self._last if h not in before] + [h for h in before if h not in self._last]

    def add(self, text_hashes: Iterable[bytes]) -> list[bytes]:
        """Add one occurrence of each, the last being the newest; those that were not live."""
        born = []
        for text_hash in text_hashes:
            self._additions += 1
            if self._last.pop(text_hash, None) is None:
                born.append(text_hash)
            else:
                self._copies[text_hash] = self._copies.get(text_hash, 0) + 1
            self._last[text_hash] = self._additions
        return born

    def remove(self, text_hashes: Iterable[bytes]) -> list[bytes]:
        """Take one occurrence of each away; those that are live no more. Unknown ones are passed over."""
        gone = []
        for text_hash in text_hashes:
            copies = self._copies.pop(text_hash, 0)
            if copies > 1:
                self._copies[text_hash] = copies - 1
            elif not copies and self._last.pop(text_hash, None) is not None:
                gone.append(text_hash)
        return gone

    @property
    def additions(self) -> int:
        """How many occurrences were ever added: a mark for ``added_since``."""
        return self._additions

    def added_since(self, mark: int) -> list[bytes]:
        """Live texts added after ``additions`` was ``mark``, newest first."""
        added = []
        for text_hash, addition in reversed(self._last.items()):
            if addition <= mark:
                break
            added.append(text_hash)
        return added
