"""What enters one workspace through memd: its sessions and notes, and the ledger of where they come from."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from openclaw_memd.config.schema import Config
from openclaw_memd.config.sections import Flush
from openclaw_memd.curated.history import History
from openclaw_memd.curated.writer import CuratedWriter
from openclaw_memd.domain.admission import AdmissionRules
from openclaw_memd.domain.audience import View, view_of
from openclaw_memd.domain.authority import missing_authority
from openclaw_memd.domain.callers import Caller
from openclaw_memd.domain.sketches import sketch_line
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.files.roots import Roots
from openclaw_memd.index.attributor import LedgerAttributor
from openclaw_memd.index.first_answers import FirstAnswers
from openclaw_memd.index.ledger.spans import record_spans
from openclaw_memd.index.ledger_pruning import LedgerPruning
from openclaw_memd.index.store import Store
from openclaw_memd.notes.types import NoteLimits
from openclaw_memd.notes.writer import NoteWriter, ProjectOf
from openclaw_memd.ports import Clock, Rng
from openclaw_memd.sessions.folders import TranscriptFolders
from openclaw_memd.sessions.formats.records import Rules
from openclaw_memd.sessions.service import Sessions
from openclaw_memd.sessions.watched import TranscriptFolder
from openclaw_memd.zones import Zone

Hint = Callable[[frozenset[str]], None]
Task = Callable[[], Awaitable[None]]
_DEFAULT_FLUSH: Final = Flush()


class WritePath:
    """The write path of one workspace; ``agents`` are those that name it.

    ``load`` comes before the first call; ``tasks`` run beside, by name. ``hint`` hears the paths of notes and
    documents that changed.
    """

    def __init__(
        self,
        state: Store,
        roots: Roots,
        analyzer: Analyzer,
        *,
        config: Config,
        agents: Sequence[str],
        clock: Clock,
        rng: Rng,
        project_of: ProjectOf,
        hint: Hint,
    ) -> None:
        zone = Zone(config.time.zone)
        self._config = config
        record = partial(record_spans, sketches=partial(sketch_line, analyzer=analyzer))
        self.sessions = Sessions(
            state,
            clock,
            admission_rules(config),
            zone,
            archives=config.sessions.archives,
            hint=hint,
        )
        self.notes = NoteWriter(
            state,
            roots,
            turns=self.sessions.turns,
            analyzer=analyzer,
            clock=clock,
            zone=zone,
            settings=self._flush_settings,
            record=record,
            project_of=project_of,
            limits=NoteLimits(config.limits.note_bytes, config.limits.file_bytes),
            owner_in_groups=config.admission.owner_in_groups,
            on_written=lambda path: hint(frozenset({path})),
        )
        self.curated = CuratedWriter(
            state,
            roots,
            turn=self.notes.turn,
            record=record,
            clock=clock,
            file_bytes=config.limits.file_bytes,
            on_written=lambda file: hint(frozenset({file})),
        )
        self.history = History(state, self.curated)
        self.attributor = LedgerAttributor(state, analyzer, self.sessions.turns.taint, clock)
        self.first_answers = FirstAnswers(state, clock)
        self._pruning = LedgerPruning(state, clock, config.history)
        self.folders = TranscriptFolders(
            state,
            self.sessions,
            transcript_folders(config, agents),
            rng,
            archives=config.sessions.archives,
        )

    async def load(self) -> None:
        """Read what the ledger knows, and finish what was accepted before the process last ended.

        Raises:
            UnavailableError, DamagedError: the ledger cannot be read.
        """
        await self.sessions.load()
        await self.notes.reconcile()
        await self.curated.load()

    @property
    def tasks(self) -> Mapping[str, Task]:
        """What runs beside the calls."""
        return {
            "notes": self.notes.replay,
            "curated files": self.curated.run,
            "sessions": self.sessions.run,
            "taint": self.sessions.hearing.run,
            "transcripts": self.folders.run,
            "pruning": self._pruning.run,
        }

    def missing_authority(self, caller: Caller | None) -> str | None:
        """What a caller lacks of owner authority, also by what the ledger knows of its turn."""
        return missing_authority(
            caller,
            tainted=self.sessions.turns.is_tainted(caller),
            owner_in_groups=self._config.admission.owner_in_groups,
        )

    def view(self, caller: Caller | None) -> View:
        """What a caller may see."""
        return view_of(caller, cross_conversation=self._config.sessions.cross_conversation)

    def _flush_settings(self, agent: str) -> Flush:
        known = self._config.agents.get(agent)
        return _DEFAULT_FLUSH if known is None else known.flush


def admission_rules(config: Config) -> AdmissionRules:
    """What never enters memory."""
    section = config.admission
    return AdmissionRules.parse(
        channels=section.exclude_channels,
        chat_types=section.exclude_chat_types,
        participants=section.exclude_participants,
        sessions=section.exclude_sessions,
    )


def transcript_folders(config: Config, agents: Sequence[str]) -> list[TranscriptFolder]:
    """The folders of transcripts that belong to ``agents``."""
    return [
        TranscriptFolder(
            path=Path(folder.path),
            format=folder.format,
            agent=folder.agent,
            rules=Rules(
                local_user=folder.owner == "local-user", network_tools=frozenset(folder.network_tools)
            ),
        )
        for folder in config.sessions.folders
        if folder.agent in agents
    ]
