"""What the doctor can tell while no daemon answers: the configuration, the places, the files as they are."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from openclaw_memd.clock import SystemClock
from openclaw_memd.config import paths
from openclaw_memd.config.advice import advise
from openclaw_memd.config.keys import ConfigError
from openclaw_memd.config.load import load_config, workspace_of
from openclaw_memd.config.places import check_places
from openclaw_memd.daemon.settings import check_settings, extra_roots, file_rules
from openclaw_memd.files.roots import Roots
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.injection.given_files import Budgets
from openclaw_memd.ops.doctor.absence import check_workspace, find_state, judge_socket
from openclaw_memd.ops.doctor.checking import advice_findings
from openclaw_memd.ops.doctor.findings import Finding, arrange
from openclaw_memd.ops.doctor.surroundings import Surroundings


def check_without_daemon(
    env: Mapping[str, str], *, file: str | None, agent: str, socket: Path | None
) -> list[Finding]:
    """What can be told from outside. ``file`` is the configuration; ``socket`` the one that was asked at."""
    return arrange(_look_from_outside(env, file, agent, socket))


def _look_from_outside(
    env: Mapping[str, str], file: str | None, agent: str, socket: Path | None
) -> Iterator[Finding]:
    if socket is not None:
        yield from judge_socket(socket)
    try:
        config = load_config(env, file=file)
        if agent not in config.agents:
            raise ConfigError(f"agents.{agent}: there is no such agent")
        check_settings(config)
        check_places(config, env)
    except ConfigError as error:
        yield Finding.of("config-unusable", f"{error}.")
        return
    yield from advice_findings(advise(config, env))
    settings = config.agents[agent]
    written, is_named = workspace_of(settings, env)
    workspace = Path(os.path.realpath(written))
    around = Surroundings(
        agent=agent,
        config=config,
        env=env,
        workspace=workspace,
        state=find_state(paths.state_dir(env, config.paths.state_dir or None), workspace),
        socket=socket,
        now=SystemClock().now(),
    )
    inject = settings.inject
    budgets = Budgets(inject.file_chars, inject.total_chars, inject.user_chars)
    try:
        with Roots(workspace, extra_roots(config)) as roots:
            corpus = Corpus(roots, file_rules(config))
            yield from check_workspace(around, corpus, budgets, is_named=is_named)
    except OSError as error:
        told = f"The look from outside broke off ({error.strerror or type(error).__name__})."
        yield Finding.of("check-failed", told, subject="outside")
