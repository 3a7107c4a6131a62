"""Looking at the curated files of a workspace while no daemon has it."""

from collections.abc import Mapping
from hashlib import sha256

from openclaw_memd.clock import SystemClock
from openclaw_memd.config.keys import ConfigError
from openclaw_memd.config.load import workspace_of
from openclaw_memd.config.schema import Config
from openclaw_memd.curated.entries import CuratedText
from openclaw_memd.curated.linting import lint_files, list_names
from openclaw_memd.daemon.curating import budget_of
from openclaw_memd.domain.curated_files import CURATED_FILES
from openclaw_memd.domain.lint import Finding
from openclaw_memd.domain.stored_text import decode_stored
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.errors import MemdError
from openclaw_memd.files.curated import read_curated
from openclaw_memd.files.roots import Roots
from openclaw_memd.zones import Zone


def lint_workspace(config: Config, agent: str, env: Mapping[str, str]) -> list[Finding]:
    """What is to be looked at in the curated files of ``agent``.

    Raises:
        ConfigError: there is no such agent, or its workspace is not there.
    """
    settings = config.agents.get(agent)
    if settings is None:
        raise ConfigError(f"agents.{agent}: there is no such agent")
    folder, _ = workspace_of(settings, env)
    if not folder.is_dir():
        raise ConfigError(f"agents.{agent}.workspace: there is no such folder")
    files: dict[str, CuratedText] = {}
    problems: dict[str, str] = {}
    with Roots(folder) as roots:
        for file in CURATED_FILES:
            try:
                data = read_curated(roots, file, config.limits.file_bytes)
            except MemdError as error:
                problems[file] = error.reason or error.kind
            except OSError:
                problems[file] = "unreadable"
            else:
                if data is not None:
                    files[file] = CuratedText(file, decode_stored(data), sha256(data).hexdigest(), ())
        return lint_files(
            files,
            problems,
            list_names(roots),
            today=Zone(config.time.zone).day(SystemClock().now()),
            budget=budget_of(settings.inject),
            analyzer=Analyzer(settings.search.languages),
        )
