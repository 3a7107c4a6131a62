"""Taking what is to be forgotten out of what the curated files were before."""

from collections import Counter
from collections.abc import Callable
from functools import partial

import trio

from openclaw_memd.domain.forgetting import LineRecord, Wanted, cut_text
from openclaw_memd.domain.line_hashes import hash_line
from openclaw_memd.domain.stored_text import decode_stored, encode_stored
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.index.ledger.forgetting import records_of
from openclaw_memd.index.ledger.preimages import (
    Preimage,
    buried_since,
    cut_preimage,
    delete_preimage,
    load_preimage,
    preimage_ids,
)
from openclaw_memd.index.store import Store


class PreimageScrubber:
    """Takes what is wanted out of the pre-images in the ledger ``state``."""

    def __init__(self, state: Store, analyzer: Analyzer) -> None:
        self._state = state
        self._analyzer = analyzer

    async def look(self, wanted: Callable[[str], Wanted]) -> int:
        """How many ``scrub`` would change now. Nothing is written."""
        return await self._each(wanted, is_dry=True)

    async def scrub(self, wanted: Callable[[str], Wanted]) -> int:
        """Take out what is wanted, and the lines that were forgotten in the file itself since; of how many.

        One that is wanted as a whole goes.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be used; called again, it goes on.
        """
        return await self._each(wanted, is_dry=False)

    async def _each(self, wanted: Callable[[str], Wanted], *, is_dry: bool) -> int:
        found = 0
        for preimage_id in await self._state.read(preimage_ids):
            preimage = await self._state.read(partial(load_preimage, preimage_id=preimage_id))
            if preimage is None:
                continue
            wish = wanted(preimage.file)
            if wish.is_whole and wish.since is None:
                found += 1
                if not is_dry:
                    await self._state.write(partial(delete_preimage, preimage_id=preimage_id))
                continue
            work = partial(self._cut, preimage, wish)
            records = await self._state.read(partial(records_of, path=preimage.file, ever=True))
            buried = await self._state.read(partial(buried_since, file=preimage.file, at=preimage.at))
            before, after, lines = await trio.to_thread.run_sync(work, records, buried)
            if not lines:
                continue
            found += 1
            if not is_dry:
                await self._state.write(
                    partial(
                        cut_preimage, preimage_id=preimage_id, before=before, after=after, forgotten=lines
                    )
                )
        return found

    def _cut(
        self, preimage: Preimage, wanted: Wanted, records: list[LineRecord], buried: frozenset[bytes]
    ) -> tuple[bytes | None, bytes, int]:
        """Both texts without what is to go, and how many different lines went."""
        gone: Counter[str] = Counter()
        texts: list[bytes | None] = []
        for data in (preimage.before, preimage.after):
            if data is None:
                texts.append(None)
                continue
            text = decode_stored(data)
            cut = cut_text(text, records, wanted, self._analyzer, None)
            kept = [line for line in cut.text.split("\n") if hash_line(line) not in buried]
            left = "\n".join(kept)
            went = Counter(text.split("\n")) - Counter(kept)
            gone |= Counter({line: count for line, count in went.items() if line.strip()})
            texts.append(data if not went else encode_stored(left, data))
        before, after = texts
        assert after is not None
        return before, after, gone.total()
