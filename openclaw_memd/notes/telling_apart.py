"""Text that a caller repeats from outside, told apart from the caller's own before it is noted."""

from functools import partial

from openclaw_memd.domain.provenance import Origin, is_trusted
from openclaw_memd.domain.sketches import sketch_line
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.index.ledger.outside_text import find_outside
from openclaw_memd.index.store import Store
from openclaw_memd.notes.drafts import Content, Draft


class ToldApart:
    """What the ledger knows to be outside text is outside text, whoever notes it."""

    def __init__(self, state: Store, analyzer: Analyzer) -> None:
        self._state = state
        self._sketch = partial(sketch_line, analyzer=analyzer)

    async def drafts(self, content: Content, origin: Origin) -> list[Draft]:
        """``content`` as text of ``origin``, but what repeats a line from outside as untrusted.

        Raises:
            UnavailableError: the ledger cannot be read.
        """
        if not is_trusted(origin):
            return [content.draft(origin)]
        outside = await self._state.read(partial(find_outside, texts=content.pieces, sketch=self._sketch))
        return content.part(origin, outside) if any(outside) else [content.draft(origin)]
