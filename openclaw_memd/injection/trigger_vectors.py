"""How near a message comes to entries in meaning: the part of the triggers that needs an embedding model.

A cosine alone cannot tell a paraphrase from a message that shares a word with a phrase. What can, as far as
small models go, is how much nearer the entry is than text that has nothing to do with either.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Final

import trio

from openclaw_memd.domain.trigger_index import TriggerText
from openclaw_memd.errors import UnavailableError
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.rows import hash_text
from openclaw_memd.index.vector_store import VectorStore
from openclaw_memd.models.calibration import calibration_pairs
from openclaw_memd.ports import Calibration, Clock, Embedder, EmbedderError

if TYPE_CHECKING:
    from openclaw_memd.ports import Vectors

LEAST_MARGIN: Final = 0.58
"""From which margin on a message means what a phrase means.

Measured on messages in five languages that share a word with a phrase, with both models of the catalogue:
those of another topic reach .56, unrelated ones .42, and .32 in 400 lines of chat. Of the paraphrases half
(multilingual-e5-small) and a quarter (minilm, which knows English alone) lie above. Of messages that share no
word no bar tells the two apart, so they are not asked about."""

AT_LEAST: Final = 0.9
"""The trigger score at that margin: with the default threshold of .72 it suffices by itself."""

MESSAGE_CHARS: Final = 1_024  # the end of a long message, so that embedding it takes no longer than a moment
_BATCH: Final = 16
_LOOK_S: Final = 30.0


def score_margin(margin: float) -> float:
    """The trigger score, 0..1, of a message with this ``margin``."""
    return 0.0 if margin < LEAST_MARGIN else min(1.0, AT_LEAST * margin / LEAST_MARGIN)


def wanted_texts(texts: Iterable[TriggerText]) -> dict[bytes, str]:
    """What is embedded of ``texts``, by its hash. Takes 0.1 s for the entries of a very long file."""
    return {hash_text(text): text for one in texts for text in (one.whole, *one.phrases)}


class TriggerVectors:
    """The vectors of trigger phrases, of their entries, and of unrelated text: the passages that ship for
    calibration. ``run`` embeds what is wanted and has none, and keeps it in ``store``.
    """

    def __init__(self, embedder: Embedder, store: VectorStore, clock: Clock) -> None:
        self._embedder = embedder
        self._store = store
        self._clock = clock
        self._wanted: Mapping[bytes, str] = {}
        self._background: Sequence[bytes] = ()
        self._rows: dict[bytes, Vectors] = {}
        self._model: str | None = None
        self._calibration: Calibration | None = None
        self._told = trio.Event()
        self._is_cold = False

    def want(self, wanted: Mapping[bytes, str]) -> None:
        """Take note of the texts of the entries that there are, by their hashes (see ``wanted_texts``)."""
        background: dict[bytes, str] = {}
        if wanted:
            background = {hash_text(pair.passage): pair.passage for pair in calibration_pairs()}
        self._wanted = {**background, **wanted}
        self._background = tuple(background)
        self._told.set()

    @property
    def is_ready(self) -> bool:
        """Whether there are vectors to compare a message with, and a model that may know its meaning."""
        return self._calibration is not None and self._embedder.model_id == self._model

    async def nearest(
        self, message: str, texts: Mapping[int, TriggerText]
    ) -> Mapping[int, tuple[float, str]]:
        """The margin of each of ``texts``, by its number, and its phrase that is nearest to ``message``.

        Only those that have vectors are in it, and none while there is no model at work.
        """
        rows, model, calibration = self._rows, self._model, self._calibration
        background = [rows[key] for key in self._background if key in rows]
        ready = {
            number: text
            for number, text in texts.items()
            if all(hash_text(one) in rows for one in (text.whole, *text.phrases))
        }
        if calibration is None or not ready or len(background) < len(self._background):
            return {}
        match self._embedder.status().state:
            case "ready":
                pass
            case "idle":  # loading takes longer than a turn; the next one finds it ready
                self._is_cold = True
                self._told.set()
                return {}
            case _:
                return {}
        try:
            (query,) = await self._embedder.embed([message[-MESSAGE_CHARS:]], kind="query")
        except EmbedderError:
            return {}
        if self._embedder.model_id != model:
            return {}
        beside = _nearness_of_unrelated(query, background)
        spread = calibration.ceiling - calibration.floor
        found: dict[int, tuple[float, str]] = {}
        for number, text in ready.items():
            near = {phrase: float(rows[hash_text(phrase)] @ query) for phrase in text.phrases}
            phrase = max(near, key=near.__getitem__)
            whole = float(rows[hash_text(text.whole)] @ query)
            found[number] = (((near[phrase] + whole) / 2 - beside) / spread, phrase)
        return found

    async def run(self) -> None:
        """Embed what is wanted, until cancelled."""
        while True:
            self._told = trio.Event()
            try:
                await self.fill()
                wait_s = _LOOK_S
            except EmbedderError as error:
                wait_s = max(_LOOK_S, error.retry_after_s or 0.0)
            with trio.move_on_after(wait_s):
                await self._told.wait()

    async def fill(self) -> None:
        """Embed what is wanted and has no vector.

        Raises:
            EmbedderError: the embedder failed.
        """
        model = self._embedder.model_id
        if model is None or not self._wanted:
            self._rows, self._model, self._calibration = {}, None, None
            return
        if model != self._model:
            self._rows, self._model, self._calibration = {}, model, None
        wanted = self._wanted
        self._rows = {key: row for key, row in self._rows.items() if key in wanted}
        await self._load(model, [key for key in wanted if key not in self._rows])
        lacking = [key for key in wanted if key not in self._rows]
        for start in range(0, len(lacking), _BATCH):
            await self._embed(model, {key: wanted[key] for key in lacking[start : start + _BATCH]})
        if self._calibration is None:
            self._calibration = await self._embedder.calibration()
        if self._is_cold:
            self._is_cold = False
            await self._embedder.embed(["."], kind="passage")

    async def _load(self, model: str, keys: Sequence[bytes]) -> None:
        with suppress(UnavailableError, DamagedError):  # then they are embedded again
            for hashes, rows in await self._store.fetch(model, keys):
                self._rows.update(zip(hashes, rows, strict=True))

    async def _embed(self, model: str, texts: Mapping[bytes, str]) -> None:
        rows = await self._embedder.embed(list(texts.values()), kind="passage")
        if self._embedder.model_id != model:
            raise EmbedderError("the model was changed")
        self._rows.update(zip(texts, rows, strict=True))
        with suppress(UnavailableError, DamagedError):  # then they are embedded again after a restart
            await self._store.put(model, list(texts), rows, self._clock.now())


def _nearness_of_unrelated(query: "Vectors", background: Sequence["Vectors"]) -> float:
    """How near text comes that has nothing to do with a message: between the mean and the nearest."""
    import numpy as np

    cosines = np.stack(background) @ query
    return (float(cosines.mean()) + float(cosines.max())) / 2
