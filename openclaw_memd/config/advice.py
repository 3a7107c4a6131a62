"""What is no error but worth a sentence to whoever wrote the configuration."""

from collections.abc import Mapping

from openclaw_memd.config.environment import unknown_variables
from openclaw_memd.config.places import advise_on_places
from openclaw_memd.config.schema import Config


def advise(config: Config, env: Mapping[str, str]) -> list[str]:
    """Sentences on ``config``. They name keys and variables, never values."""
    return [
        *unknown_variables(env),
        *advise_on_places(config, env),
    ]
