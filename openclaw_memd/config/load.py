"""Reading the configuration: a TOML file, then the environment, then one strict check of every key."""

import os
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec

from openclaw_memd.config import paths
from openclaw_memd.config.cron import find_cron_fault
from openclaw_memd.config.environment import apply_environment, set_key
from openclaw_memd.config.keys import ConfigError, Table, explain, join_key, refuse_unknown
from openclaw_memd.config.schema import PER_AGENT, Agent, Config
from openclaw_memd.config.sections import Model


def load_config(
    env: Mapping[str, str] = os.environ, *, file: str | None = None, workspace: str | None = None
) -> Config:
    """The configuration from the named or default file and the environment.

    ``workspace`` stands above everything else that names the main agent's workspace.

    Raises:
        ConfigError: the file is missing though named, is not TOML, or a key is unknown or has a bad value.
    """
    table = read_file(env, file)
    apply_environment(table, env)
    if workspace is not None:
        set_key(table, ("agents", "main", "workspace"), workspace, "--workspace")
    return check(table)


def read_file(env: Mapping[str, str], named: str | None = None) -> Table:
    """The configuration file as a table; an absent default file is an empty one."""
    path, must_exist = paths.config_file(env, named)
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))  # some editors put a mark first
    except FileNotFoundError:
        if must_exist:
            raise ConfigError(f"{path.name}: there is no such configuration file") from None
        return {}
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path.name}: {error}") from None
    except OSError as error:
        raise ConfigError(f"{path.name}: {error.strerror}") from None


def check(table: Table) -> Config:
    """``table`` as a typed configuration, each agent's sections completed from the common ones.

    Raises:
        ConfigError: as :func:`load_config`.
    """
    refuse_unknown(table)
    for section in PER_AGENT:
        if not isinstance(table.get(section, {}), dict):
            raise ConfigError(f"{section}: must be a table")
    agents = table.get("agents", {}) or {"main": {}}
    merged = {
        name: {
            **agent,
            **{section: {**table.get(section, {}), **agent.get(section, {})} for section in PER_AGENT},
        }
        for name, agent in agents.items()
    }
    whole = {key: value for key, value in table.items() if key != "agents"}
    whole["agents"] = merged  # last, so that a bad common value is told as such and not as each agent's
    try:
        config = msgspec.convert(whole, Config)
    except msgspec.ValidationError as error:
        raise ConfigError(explain(str(error), whole)) from None
    _check_meaning(config)
    return config


def model_sections(config: Config) -> dict[str, Model]:
    """Each [model] section by its key: the common one, and those of agents that differ from it."""
    return {"model": config.model} | {
        f"{join_key('agents', name)}.model": agent.model
        for name, agent in config.agents.items()
        if agent.model != config.model
    }


def _check_models(config: Config) -> None:
    for key, section in model_sections(config).items():
        if section.provider in {"openai", "local"} and not section.model:
            raise ConfigError(f"{key}.model: needed with {key}.provider = {section.provider}")
        if section.base_url and not _is_http_address(section.base_url):
            raise ConfigError(
                f"{key}.base_url: not an http or https address, such as http://localhost:11434/v1"
            )


def _check_meaning(config: Config) -> None:
    if config.chunking.overlap >= config.chunking.tokens:
        raise ConfigError(
            f"chunking.overlap: {config.chunking.overlap} must be less than chunking.tokens "
            f"({config.chunking.tokens})"
        )
    if config.embedding.provider == "openai" and not config.embedding.model:
        raise ConfigError("embedding.model: needed with embedding.provider = openai")
    _check_models(config)
    if config.embedding.base_url and not _is_http_address(config.embedding.base_url):
        raise ConfigError(
            "embedding.base_url: not an http or https address, such as http://localhost:11434/v1"
        )
    if config.time.zone != "local":
        try:
            ZoneInfo(config.time.zone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise ConfigError("time.zone: not an IANA time zone, such as Europe/Vienna, nor local") from None
    names = [extra.name for extra in config.files.extra]
    if len(set(names)) < len(names):
        raise ConfigError("files.extra: two entries have the same name")
    for index, folder in enumerate(config.sessions.folders):
        if folder.agent not in config.agents:
            known = ", ".join(config.agents)
            raise ConfigError(f"sessions.folders[{index}].agent: no agent {folder.agent!r}; allowed: {known}")
    for key, expression in schedules(config):
        fault = find_cron_fault(expression)
        if fault is not None:
            raise ConfigError(
                f"{key}: {fault}; allowed: minute, hour, day of month, month and day of week, "
                'such as "0 3 * * *"'
            )


def schedules(config: Config) -> Iterator[tuple[str, str]]:
    """Each cron expression and its key: the common ones first, so that a bad one is told as such."""
    if config.backup.schedule:
        yield "backup.schedule", config.backup.schedule
    sections = [("dreaming", config.dreaming)]
    sections += [
        (f"{join_key('agents', name)}.dreaming", one.dreaming) for name, one in config.agents.items()
    ]
    for prefix, dreaming in sections:
        yield f"{prefix}.schedule", dreaming.schedule
        for phase in ("light", "rem", "deep"):
            expression = getattr(dreaming, f"{phase}_schedule")
            if expression:
                yield f"{prefix}.{phase}_schedule", expression


def _is_http_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False


def workspace_of(agent: Agent, env: Mapping[str, str] = os.environ) -> tuple[Path, bool]:
    """An agent's workspace and whether somebody named it (the default one may be created)."""
    if agent.workspace:
        return paths.expand(agent.workspace, env), True
    return paths.expand(paths.DEFAULT_WORKSPACE, env), False
