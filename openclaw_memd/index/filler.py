"""Embedding behind the index: texts are found by keyword at once, by vector when this has got to them."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

import structlog
import trio

from openclaw_memd.errors import UnavailableError
from openclaw_memd.index.backlog import Backlog
from openclaw_memd.index.backoff import retry_delay_s
from openclaw_memd.index.calibrations import Calibrations
from openclaw_memd.index.faults import DamagedError
from openclaw_memd.index.fill_progress import FillProgress, FillState
from openclaw_memd.index.indexed_texts import TextsOf, read_texts
from openclaw_memd.index.line_filler import LineFiller
from openclaw_memd.index.vector_database import is_sound, replace_damaged
from openclaw_memd.index.vector_pruning import prune_vectors
from openclaw_memd.index.vector_search import VectorSearch
from openclaw_memd.index.vector_store import VectorStore
from openclaw_memd.ports import Clock, Embedder, EmbedderError, Rng

if TYPE_CHECKING:
    from openclaw_memd.index.vector_blobs import Vectors

BATCH_TEXTS: Final = 16
DISK_RETRY_S: Final = 60.0
DAMAGE_RETRY_S: Final = 2.0
_PROBE: Final = "ready"

_log = structlog.get_logger("memd.vectors")


class Filler:
    """Gives the live texts of ``searches`` vectors, those of earlier searches first, and then their lines.

    ``lines`` goes on only while every text that can have a vector has one. ``texts_of`` returns what to embed
    for text hashes. ``aside`` is where the last damaged database lies that had to be replaced.
    """

    def __init__(
        self,
        *,
        embedder: Embedder,
        vectors: VectorStore,
        searches: Sequence[VectorSearch],
        texts_of: TextsOf,
        lines: LineFiller,
        clock: Clock,
        rng: Rng,
        batch_texts: int = BATCH_TEXTS,
    ) -> None:
        self._embedder = embedder
        self._vectors = vectors
        self._searches = tuple(searches)
        self._texts_of = texts_of
        self._lines = lines
        self._clock = clock
        self._rng = rng
        self._batch_texts = batch_texts
        self._suspect = vectors.store.unclean
        self._model: str | None = None
        self._epoch = -1
        self._backlogs: tuple[Backlog, ...] = ()
        self._woken = trio.Event()
        self._retry = trio.Event()
        self._failures = 0
        self._state = FillState.IDLE
        self._reason: str | None = None
        self.aside: Path | None = None

    def wake(self) -> None:
        """Something was published, or the embedder may have another model. A wait after a failure goes on."""
        self._woken.set()

    def forget_lines(self) -> None:
        """Keep no line that was embedded lately in mind."""
        self._lines.forget_lines()

    def retry_now(self) -> None:
        """Whatever failed may work now, as after a change of the configuration."""
        self._failures = 0
        self._retry.set()
        self._woken.set()

    def progress(self) -> FillProgress:
        """How far it is."""
        total = sum(len(search.live) for search in self._searches)
        given_up = sum(backlog.given_up() for backlog in self._backlogs)
        lacking = sum(len(backlog) for backlog in self._backlogs) if self._backlogs else total
        done = total - lacking - given_up
        return FillProgress(self._state, done, total, given_up, self._reason, *self._lines.progress())

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Fill for ever. A damaged database is set aside and filled anew."""
        task_status.started()
        while True:
            self._woken, self._retry = trio.Event(), trio.Event()
            delay_s = await self._attempt()
            if delay_s is None:
                await _wait_for_first(self._woken, self._vectors.store.damage)
            else:
                with trio.move_on_after(delay_s):
                    await _wait_for_first(self._retry, self._vectors.store.damage)

    async def _attempt(self) -> float | None:
        """Fill until nothing is left; seconds to wait when something failed."""
        try:
            await self._mend_database()
            await self._fill()
        except EmbedderError as error:
            return self._note_failure(error)
        except UnavailableError as error:
            self._state, self._reason = FillState.WAITING, error.message
            await trio.sleep(DISK_RETRY_S)
            return 0.0
        except DamagedError as error:
            self._state, self._reason = FillState.WAITING, str(error)
            await trio.sleep(DAMAGE_RETRY_S)
            return 0.0
        return None

    async def _mend_database(self) -> None:
        store = self._vectors.store
        if self._suspect and not await is_sound(store):
            store.damage.set()
        self._suspect = False
        if store.damage.is_set():
            self._state, self._reason = FillState.WAITING, "the vectors were damaged and are made anew"
            self._use_model(None)
            self.aside = await replace_damaged(store, self._clock.now())

    def _note_failure(self, error: EmbedderError) -> float:
        self._failures += 1
        delay_s = retry_delay_s(
            self._failures,
            retry_after_s=error.retry_after_s,
            permanent=error.permanent,
            jitter=self._rng.random(),
        )
        self._state = FillState.PAUSED if error.permanent else FillState.WAITING
        self._reason = str(error)
        _log.warning("embedding failed", attempt=self._failures, delay_s=round(delay_s, 1))
        return delay_s

    async def _fill(self) -> None:
        model = await self._find_model() if self._has_texts() else None
        if model is not None:
            await self._fill_all(model)
            if self._embedder.status().state == "degraded":
                # It failed on somebody's query: it is for us to find out when it works again.
                await self._embedder.embed([_PROBE], kind="passage")
        off = model is None and self._has_texts()
        self._state = FillState.OFF if off else FillState.IDLE
        self._reason = self._embedder.status().reason if off else None

    async def _fill_all(self, model: str) -> None:
        """Fill until nothing is left, or the embedder has another model."""
        filling = True
        while filling:
            # Before the texts: so every text whose lines are known to lack vectors is known to be filled.
            await self._lines.update()
            await self._fill_texts(model)
            if self._lines.has_work():
                self._state, self._reason = FillState.FILLING, None
            filling = self._embedder.model_id == model and await self._lines.fill_batch()
            if filling:
                self._failures = 0
        if self._embedder.model_id != model:
            self._woken.set()

    async def _fill_texts(self, model: str) -> None:
        stored = False
        while await self._fill_batch(model):
            stored = True
        if stored:
            live = {text_hash for search in self._searches for text_hash in search.live}
            await prune_vectors(self._vectors.store, model, live)

    def _has_texts(self) -> bool:
        return any(search.live for search in self._searches)

    async def _find_model(self) -> str | None:
        """The embedder's model, told to the searches. An embedder that does not know it has to load."""
        is_new = self._embedder.model_id is None or self._embedder.model_id != self._model
        if is_new and self._embedder.status().state != "off":
            await self._embedder.calibration()  # a query has not the time to measure one
        model = self._embedder.model_id
        epoch = self._vectors.store.epoch
        if (model, epoch) != (self._model, self._epoch):
            if model is not None:
                await Calibrations(self._vectors.store).mark_used(model, self._clock.now())
            self._use_model(model)
            self._epoch = epoch
        return model

    def _use_model(self, model: str | None) -> None:
        self._model = model
        self._backlogs = ()
        if model is not None:
            self._backlogs = tuple(Backlog(search, self._vectors, model) for search in self._searches)
        for search in self._searches:
            search.use_model(model)
        for backlog in self._backlogs:
            backlog.search.watch_gaps(backlog)
        self._lines.use_model(model)

    async def _fill_batch(self, model: str) -> bool:
        """Embed the next few texts; False when nothing is left, or the embedder has another model now."""
        for behind in self._backlogs:
            await behind.update()
        backlog = next((backlog for backlog in self._backlogs if backlog.first(1)), None)
        if backlog is None:
            return False
        hashes = backlog.first(self._batch_texts)
        self._state, self._reason = FillState.FILLING, None
        texts = await read_texts(self._texts_of, hashes)
        known = [h for h in hashes if h in texts]
        self._settle(h for h in hashes if h not in texts)
        if known:
            vectors = await self._embedder.embed([texts[h] for h in known], kind="passage")
            if self._embedder.model_id != model:
                return False
            if len(vectors) != len(known):
                raise EmbedderError("the embedder answered with a wrong number of vectors")
            await self._publish(model, known, vectors)
        self._failures = 0
        return True

    async def _publish(self, model: str, hashes: Sequence[bytes], vectors: "Vectors") -> None:
        """Store the vectors of texts that are still live: a file may go while its text is embedded."""
        kept = [row for row, text_hash in enumerate(hashes) if self._is_live(text_hash)]
        live = [hashes[row] for row in kept]
        refused = (
            await self._vectors.put(model, live, vectors[kept], self._clock.now()) if kept else frozenset()
        )
        if refused:
            _log.warning("vectors refused", count=len(refused))
        self._settle(hashes, refused=refused)
        self._lines.give_up(refused)
        for search in self._searches:
            search.mark_changed(live)
            await search.refresh()

    def _is_live(self, text_hash: bytes) -> bool:
        return any(text_hash in search.live for search in self._searches)

    def _settle(self, hashes: Iterable[bytes], *, refused: Iterable[bytes] = ()) -> None:
        settled = list(hashes)
        for backlog in self._backlogs:
            backlog.settle(settled, refused=refused)


async def _wait_for_first(*events: trio.Event) -> None:
    async with trio.open_nursery() as nursery:

        async def wait(event: trio.Event) -> None:
            await event.wait()
            nursery.cancel_scope.cancel()

        for event in events:
            nursery.start_soon(wait, event)
