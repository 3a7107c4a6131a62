"""Settings that only the parts they are for can judge, and what those parts are given of them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from openclaw_memd.config.keys import ConfigError
from openclaw_memd.config.schema import Config
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.files.roots import ExtraRoot
from openclaw_memd.files.rules import FileRules, Patterns


def check_settings(config: Config) -> None:
    """Refuse what the schema cannot know to be wrong: languages, patterns and home folders.

    Raises:
        ConfigError: a value cannot be used; the message names its key.
    """
    for name, agent in config.agents.items():
        is_common = agent.search.languages == config.search.languages
        with _judging("search.languages" if is_common else f"agents.{name}.search.languages"):
            Analyzer(agent.search.languages)
    for key in ("include", "exclude", "evergreen"):
        with _judging(f"files.{key}"):
            Patterns.parse(getattr(config.files, key))
    for index, extra in enumerate(config.files.extra):
        with _judging(f"files.extra[{index}].pattern"):
            Patterns.parse([extra.pattern])
        with _judging(f"files.extra[{index}].path"):
            if "\0" in str(Path(extra.path).expanduser()):
                raise ValueError("a path cannot hold a NUL character")


def extra_roots(config: Config) -> list[ExtraRoot]:
    """The extra places to search."""
    return [ExtraRoot(extra.name, Path(extra.path), extra.pattern) for extra in config.files.extra]


def file_rules(config: Config) -> FileRules:
    """Which files count."""
    return FileRules.parse(
        include=config.files.include,
        exclude=config.files.exclude,
        evergreen=config.files.evergreen,
        file_bytes=config.limits.file_bytes,
        files=config.limits.files,
    )


@contextmanager
def _judging(key: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, RuntimeError) as error:  # RuntimeError: a home folder of nobody
        raise ConfigError(f"{key}: {error}") from None
