"""What is no error but worth a sentence to whoever wrote the configuration."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime

from openclaw_memd.config.environment import unknown_variables
from openclaw_memd.config.idle_keys import find_idle_keys
from openclaw_memd.config.load import schedules
from openclaw_memd.config.places import advise_on_places
from openclaw_memd.config.schema import Config


def advise(config: Config, env: Mapping[str, str]) -> list[str]:
    """Sentences on ``config``. They name keys and variables, never values."""
    return [
        *unknown_variables(env),
        *advise_on_places(config, env),
        *find_idle_keys(config),
        *_advise_on_schedules(config),
    ]


def _advise_on_schedules(config: Config) -> Iterator[str]:
    """Those that are well formed and name no day that there is, such as the 30th of February."""
    from openclaw_memd.schedules import next_time

    now = datetime.now(UTC)
    for key, expression in schedules(config):
        if next_time(expression, now) is None:
            yield f"{key}: no day is ever like this, so nothing will be done"
