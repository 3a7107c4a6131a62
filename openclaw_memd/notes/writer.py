"""The one door through which callers add to notes. Nobody who calls names a file: the daemon does."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import trio

from openclaw_memd.config.sections import Flush
from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.classification import origin_of_write
from openclaw_memd.domain.flush_plan import SILENT_TOKEN
from openclaw_memd.domain.note_entries import NoteEntry, is_blank
from openclaw_memd.domain.note_names import make_slug
from openclaw_memd.domain.project_keys import tidy_project_key
from openclaw_memd.domain.provenance import Origin, Provenance
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.errors import InvalidParamsError
from openclaw_memd.files.roots import Roots
from openclaw_memd.index.ledger.appends import RecordLines
from openclaw_memd.index.ledger.observations import add_observation
from openclaw_memd.index.store import Store, Work
from openclaw_memd.index.text_rows import Connection
from openclaw_memd.notes.ahead import WriteAhead
from openclaw_memd.notes.drafts import Content, draft_lines, read_content
from openclaw_memd.notes.flushing import Flushes, FlushRequest
from openclaw_memd.notes.observing import check_path
from openclaw_memd.notes.places import Author, Target
from openclaw_memd.notes.repeats import RequestKey
from openclaw_memd.notes.telling_apart import ToldApart
from openclaw_memd.notes.turns import Turns
from openclaw_memd.notes.types import DEFAULT_LIMITS, Appended, CapturedNote, FlushPlan, NoteLimits, Observed
from openclaw_memd.ports import Clock
from openclaw_memd.zones import Zone

ProjectOf = Callable[[Caller | None], Awaitable[str | None]]


async def _stated_project(caller: Caller | None) -> str | None:
    """The project that the host names, if it does."""
    return None if caller is None or caller.project_key is None else tidy_project_key(caller.project_key)


class NoteWriter:
    """Writes the daily notes of one workspace.

    ``reconcile`` comes before the first call, ``replay`` runs beside. ``settings`` gives the flush section of
    an agent, ``project_of`` the project that a call is made in; ``owner_in_groups`` is that of
    ``[admission]``. ``on_written`` hears of each note that was added to, so that it is indexed at once.
    """

    def __init__(
        self,
        state: Store,
        roots: Roots,
        *,
        turns: Turns,
        analyzer: Analyzer,
        clock: Clock,
        zone: Zone,
        settings: Callable[[str], Flush],
        record: RecordLines,
        project_of: ProjectOf = _stated_project,
        limits: NoteLimits = DEFAULT_LIMITS,
        owner_in_groups: bool = False,
        on_written: Callable[[str], None] = lambda _path: None,
    ) -> None:
        self._state = state
        self._turns = turns
        self._clock = clock
        self._zone = zone
        self._limits = limits
        self._project_of = project_of
        self._owner_in_groups = owner_in_groups
        self._told_apart = ToldApart(state, analyzer)
        self._ahead = WriteAhead(state, roots, record=record, limits=limits, on_written=on_written)
        self._flushes = Flushes(
            state,
            self._ahead,
            turns=turns,
            analyzer=analyzer,
            clock=clock,
            zone=zone,
            settings=settings,
            told_apart=self._told_apart,
            owner_in_groups=owner_in_groups,
        )

    @property
    def turn(self) -> trio.Lock:
        """The workspace's append lock: nothing is added to a note by memd while somebody holds it."""
        return self._ahead.turn

    def forget_heard(self) -> None:
        """Keep nothing of what was said in mind. Flushes of open cycles are trusted less then, not more."""
        self._flushes.forget_heard()

    @property
    def waiting(self) -> int:
        """How many accepted texts are not in their notes yet."""
        return self._ahead.waiting

    async def append(
        self,
        caller: Caller | None,
        *,
        text: str | None = None,
        entries: Sequence[NoteEntry] | None = None,
        slug: str | None = None,
        request_key: str | None = None,
    ) -> Appended:
        """Add a text or entries to today's note, or to today's note of that ``slug``.

        Raises:
            InvalidParamsError: a part cannot be written; ``field`` names it.
            TooLargeError: it is over the limit of a note.
            DeniedError: something else has the note's place.
            UnavailableError: the ledger cannot be written, or too much waits already.
        """
        content = await self._read(caller, text, entries)
        name = None if slug is None else _slug(slug)
        author = Author.of(caller)
        request = RequestKey(author.agent, "note.append", request_key)
        async with self._ahead.turn:
            now = self._clock.now()
            if repeat := await request.find(self._state, now):
                return repeat
            origin = self._origin(caller)
            return await self._ahead.accept(
                await self._told_apart.drafts(content, origin),
                Target.of_day(self._zone.day(now), self._zone.label(now), name),
                author,
                now,
                partial(request.keep, now=now, appended=True),
            )

    async def capture(
        self,
        caller: Caller | None,
        note: CapturedNote,
        also: Work[None] = lambda _connection: None,
    ) -> Appended:
        """Write lines of a conversation to a note of their own, those that nobody vouches for to another.

        When the name is taken, it ends with -2, -3 and so on. A note with the same key within 24 hours is the
        same and not written again. ``also`` is done in the transaction that accepts the note. One of its two
        texts may be empty; errors are those of ``append``.
        """
        drafts = [draft_lines(lines) for lines in (note.trusted, note.untrusted) if lines]
        headings = (note.heading, f"{note.heading}: from outside, not trusted")
        target = Target(note.day, headings, _slug(note.slug), is_new=True)
        author = Author.of(caller)
        request = RequestKey(author.agent, "session.capture", note.key)
        async with self._ahead.turn:
            now = self._clock.now()
            if repeat := await request.find(self._state, now):
                return repeat

            def book(call: int) -> Work[None]:
                keep = request.keep(call, now, appended=True)

                def work(connection: Connection) -> None:
                    keep(connection)
                    also(connection)

                return work

            return await self._ahead.accept(drafts, target, author, now, book)

    async def flush_plan(self, caller: Caller | None, request: FlushRequest) -> FlushPlan:
        """Whether the caller's session should save notes now, and how: see `Flushes.plan`."""
        return await self._flushes.plan(caller, request)

    async def flush_append(
        self,
        caller: Caller | None,
        *,
        cycle_id: str,
        text: str | None = None,
        entries: Sequence[NoteEntry] | None = None,
        request_key: str | None = None,
    ) -> Appended:
        """Save what a flush brought. Errors as ``append``.

        The silent token says that there is nothing; a line of it beside other text is left out.
        """
        if text is not None and SILENT_TOKEN in text:
            text = "\n".join(line for line in text.split("\n") if line.strip() != SILENT_TOKEN)
            if is_blank(text) and entries is None:
                return await self._flushes.append(caller, None, cycle_id, request_key)
        content = await self._read(caller, text, entries)
        return await self._flushes.append(caller, content, cycle_id, request_key)

    async def observe(self, caller: Caller | None, path: str, before_hash: str, after_hash: str) -> Observed:
        """Take note that a tool of the caller's runtime changed the memory file at ``path``.

        Hashes are SHA-256 of the file's bytes in lower-case hex, ``before_hash`` is empty for a file that is
        new. What changed between the two counts as written by the caller.

        Raises:
            DeniedError: it is no memory file.
            UnavailableError: the ledger cannot be written.
        """
        check_path(path)
        origin = self._origin(caller)
        author = Author.of(caller)
        if before_hash != after_hash:
            await self._state.write(
                partial(
                    add_observation,
                    path=path,
                    before_hash=before_hash,
                    after_hash=after_hash,
                    provenance=Provenance(origin, author.session_kind, author.writer),
                    agent=author.agent,
                    session_id=author.session_id,
                    at=self._clock.now(),
                )
            )
        return Observed(origin)

    async def reconcile(self) -> None:
        """Bring into the notes what was accepted before the process last ended.

        Raises:
            UnavailableError: the ledger cannot be read.
        """
        await self._ahead.reconcile()

    async def replay(self) -> None:
        """Write spooled texts as soon as that is possible, until cancelled."""
        await self._ahead.replay()

    def _origin(self, caller: Caller | None) -> Origin:
        tainted = self._turns.is_tainted(caller)
        return origin_of_write(caller, tainted=tainted, owner_in_groups=self._owner_in_groups)

    async def _read(
        self, caller: Caller | None, text: str | None, entries: Sequence[NoteEntry] | None
    ) -> Content:
        project = await self._project_of(caller)
        return read_content(text, entries, project=project, limit_bytes=self._limits.note_bytes)


def _slug(text: str) -> str:
    slug = make_slug(text)
    if slug is None:
        raise InvalidParamsError("slug has no letters or digits", field="slug", reason="value")
    return slug
