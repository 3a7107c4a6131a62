"""What one workspace's sessions are given when they begin, by the settings of each agent."""

from typing import Final

from openclaw_memd.config.sections import Inject
from openclaw_memd.curated.core import CuratedCore
from openclaw_memd.domain.admission import AdmissionRules
from openclaw_memd.files.instructions import Instructions
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.injection.bootstrap import Bootstrap
from openclaw_memd.injection.given_files import Budgets, GivenFiles
from openclaw_memd.injection.startup import StartupLimits, StartupNotes
from openclaw_memd.ports import Clock
from openclaw_memd.zones import Zone

_FRAME_BYTES: Final = 8 * 1024
_CHARACTER_BYTES: Final = 4


class Giving:
    """The files of one workspace that are given to sessions."""

    def __init__(
        self,
        *,
        core: CuratedCore,
        corpus: Corpus,
        rules: AdmissionRules,
        result_bytes: int,
        clock: Clock,
        zone: Zone,
    ) -> None:
        """``result_bytes`` is the length that no answer may have more of."""
        self._core = core
        self._instructions = Instructions(corpus.roots)
        self._notes = StartupNotes(corpus, rules, clock, zone)
        self._result_bytes = result_bytes
        self._clock = clock
        self._zone = zone

    def bootstrap(self, settings: Inject) -> Bootstrap:
        """What the sessions of an agent with these settings are given."""
        return Bootstrap(
            core=self._core,
            instructions=self._instructions,
            notes=self._notes,
            files=GivenFiles(
                Budgets(
                    file_chars=settings.file_chars,
                    total_chars=settings.total_chars,
                    user_chars=settings.user_chars,
                    total_bytes=self._text_bytes(settings),
                )
            ),
            limits=StartupLimits(
                days=settings.startup_days,
                file_chars=settings.startup_file_chars,
                total_chars=settings.startup_total_chars,
            ),
            clock=self._clock,
            zone=self._zone,
        )

    def _text_bytes(self, settings: Inject) -> int:
        """How much an answer can hold of the files, which are in it twice: alone, and in the block."""
        days = min(settings.startup_total_chars * _CHARACTER_BYTES, self._result_bytes // 4)
        return max(0, (self._result_bytes - _FRAME_BYTES) // 2 - days)
