"""Every kind of finding there is. The set is closed, so that each can be documented and tested."""

from typing import Final

from openclaw_memd.ops.doctor.kind_definition import Kind
from openclaw_memd.ops.doctor.machine_kinds import ABSENCE, MACHINE, PLACES, UNKNOWABLE
from openclaw_memd.ops.doctor.memory_kinds import FILES, MODELS, STORES

KINDS: Final[dict[str, Kind]] = FILES | STORES | MODELS | PLACES | MACHINE | ABSENCE | UNKNOWABLE
"""All of them, by id."""
