"""What is no error but worth a sentence to whoever wrote the configuration."""

from collections.abc import Mapping

from openclaw_memd.config.environment import unknown_variables
from openclaw_memd.config.keys import Table
from openclaw_memd.config.load import unread_sections
from openclaw_memd.config.places import advise_on_places
from openclaw_memd.config.schema import Config


def advise(config: Config, env: Mapping[str, str], table: Table) -> list[str]:
    """Sentences on ``config``, whose file is ``table``. They name keys and variables, never values."""
    return [
        *(f"[{name}] is set, but nothing in this version acts on it" for name in unread_sections(table)),
        *unknown_variables(env),
        *advise_on_places(config, env),
    ]
