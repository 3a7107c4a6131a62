"""Which texts the index holds now, newest first."""

from collections.abc import Iterable, Iterator


class LiveTexts:
    """A multiset of text hashes in order of change: one occurrence for each chunk that has the text.

    A text is live as long as one chunk has it, so the chunks of one file may come and go without regard to
    copies of their text elsewhere.
    """

    def __init__(self) -> None:
        self._entries: dict[bytes, tuple[int, int]] = {}  # hash -> occurrences, number of its last addition
        self._additions = 0

    def __len__(self) -> int:
        return len(self._entries)

    def __contains__(self, text_hash: bytes) -> bool:
        return text_hash in self._entries

    def __iter__(self) -> Iterator[bytes]:
        """Most recently changed first."""
        return reversed(self._entries)

    def replace(self, newest_first: Iterable[bytes]) -> list[bytes]:
        """Set the whole multiset; the hashes that came or went."""
        before = self._entries
        self._entries = {}
        self.add(reversed(list(newest_first)))
        return [h for h in self._entries if h not in before] + [h for h in before if h not in self._entries]

    def add(self, text_hashes: Iterable[bytes]) -> list[bytes]:
        """Add one occurrence of each, the last being the newest; those that were not live."""
        born = []
        for text_hash in text_hashes:
            self._additions += 1
            occurrences, _ = self._entries.pop(text_hash, (0, 0))
            self._entries[text_hash] = (occurrences + 1, self._additions)
            if not occurrences:
                born.append(text_hash)
        return born

    def remove(self, text_hashes: Iterable[bytes]) -> list[bytes]:
        """Take one occurrence of each away; those that are live no more. Unknown ones are passed over."""
        gone = []
        for text_hash in text_hashes:
            occurrences, addition = self._entries.get(text_hash, (0, 0))
            if occurrences > 1:
                self._entries[text_hash] = (occurrences - 1, addition)
            elif occurrences:
                del self._entries[text_hash]
                gone.append(text_hash)
        return gone

    @property
    def additions(self) -> int:
        """How many occurrences were ever added: a mark for ``added_since``."""
        return self._additions

    def added_since(self, mark: int) -> list[bytes]:
        """Live texts added after ``additions`` was ``mark``, newest first."""
        added = []
        for text_hash, (_, addition) in reversed(self._entries.items()):
            if addition <= mark:
                break
            added.append(text_hash)
        return added
