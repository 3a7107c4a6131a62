"""What a method is."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, Literal, TypeVar

from openclaw_memd.config.schema import Limits
from openclaw_memd.domain.callers import Caller
from openclaw_memd.gateway.delivery import Delivery
from openclaw_memd.gateway.duplex import Duplex
from openclaw_memd.gateway.rights import Right
from openclaw_memd.gateway.schemas import CallParams
from openclaw_memd.gateway.services import Services

Pace = Literal["read", "write", "sync", "turn", "deep", "job"]
"""Which deadline a call has: ``[limits] read_ms``, ``write_ms``, ``sync_ms``, the agent's ``[inject]
deadline_ms`` or ``[escalation] timeout_ms``, or none."""

PACES: tuple[Pace, ...] = ("read", "write", "sync", "turn", "deep", "job")

P = TypeVar("P", bound=CallParams)


def count_nothing(name: str, *labels: str, by: int = 1) -> None:
    """Where nobody counts."""


@dataclass(frozen=True, slots=True)
class Call:
    """What a handler works with. ``deadline_at`` is in trio's time, infinite for a call without deadline.

    ``caller`` is None without a context: then it is the operator. ``duplex`` is the connection's other
    direction, None where it has none; ``delivery`` tells whether the answer was sent. ``count`` adds to a
    counter of ``/metrics``: its name and the values of its labels.
    """

    services: Services
    limits: Limits
    deadline_at: float
    caller: Caller | None = None
    duplex: Duplex | None = None
    delivery: Delivery = field(default_factory=Delivery)
    count: Callable[..., None] = count_nothing


@dataclass(frozen=True, slots=True)
class Method(Generic[P]):
    """One method of the contract. ``results`` are the shapes that its result may have.

    ``example`` are params to show. ``keeps_request_keys`` says that the handler sees to request keys itself,
    in the transaction of its write; for others the gateway does. ``moves_turns`` says that it heeds the
    context's taint itself; for others the gateway has the session's turn tainted. ``needs_line`` says that it
    is for a connection of the line protocol alone. ``when_late`` is the result where nothing was ready in
    time; without one that is an error.
    """

    name: str
    right: Right
    pace: Pace
    params: type[P]
    results: tuple[type, ...]
    handler: Callable[[Call, P], Awaitable[object]]
    summary: str
    example: Mapping[str, object]
    keeps_request_keys: bool = False
    moves_turns: bool = False
    needs_line: bool = False
    when_late: object | None = None


AnyMethod = Method[Any]
