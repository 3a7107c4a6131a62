"""One call: params, right, a place to run, a deadline, and a result or a failure in its wire form."""

import math
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal, assert_never

import msgspec
import trio
from jsonrpcserver import Error, Success

from openclaw_memd.config.schema import Limits
from openclaw_memd.errors import DeadlineError, DeniedError, TooLargeError, UnavailableError
from openclaw_memd.gateway.admission import Admission
from openclaw_memd.gateway.contexts import caller_of
from openclaw_memd.gateway.delivery import Delivery
from openclaw_memd.gateway.duplex import Duplex
from openclaw_memd.gateway.faults import describe
from openclaw_memd.gateway.metrics import Metrics
from openclaw_memd.gateway.params import decode_params
from openclaw_memd.gateway.peers import Peer
from openclaw_memd.gateway.repeats import answer_once
from openclaw_memd.gateway.rights import check_right
from openclaw_memd.gateway.services import Services
from openclaw_memd.gateway.table import PACES, AnyMethod, Call, Pace

GRACE_S = 0.025
"""How long after its deadline a call may still hand over what it has; half of what callers are promised."""

WRITE_GRACE_S = 0.04
"""The same for a write. It is cancelled at its deadline, so that nothing is begun any more; what was
committed by then has this long to be answered."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Who called, and by which protocol. ``places`` bound how many calls of the connection run at once.

    ``duplex`` is the daemon's own side of a line connection.
    """

    protocol: Literal["line", "http"]
    peer: Peer
    places: trio.Semaphore
    duplex: Duplex | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """One message of a caller. ``received_at`` is in trio's time; deadlines count from it.

    ``delivery`` tells whether the answer was sent.
    """

    caller: Caller
    received_at: float
    delivery: Delivery


Function = Callable[..., Awaitable[Any]]


class Calls:
    """Runs calls of methods in a nursery of its own.

    A call whose deadline passes is cancelled and answered at once. Where it cannot be interrupted it keeps
    its place, so that stuck work cannot pile up.
    """

    def __init__(
        self, methods: Iterable[AnyMethod], services: Services, limits: Limits, metrics: Metrics
    ) -> None:
        self._services = services
        self._limits = limits
        self._metrics = metrics
        self._nursery: trio.Nursery | None = None
        # A place for each pace, so that calls that wait for the disk or a job never keep readers out.
        self.admissions = {pace: Admission(limits.in_flight, limits.queue) for pace in PACES}
        self.functions: Mapping[str, Function] = {method.name: self._bind(method) for method in methods}

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Be ready for calls until cancelled."""
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            task_status.started()
            try:
                await trio.sleep_forever()
            finally:
                self._nursery = None

    def _bind(self, method: AnyMethod) -> Function:
        async def call(exchange: Exchange, /, **params: Any) -> Any:
            started = perf_counter()
            outcome = "cancelled"
            try:
                result = Success(await self._answer(method, exchange, params))
                outcome = "ok"
            except Exception as error:
                fault = describe(error, method.name)
                outcome = fault.data["kind"]
                result = Error(fault.code, fault.message, fault.data)
            finally:
                self._metrics.count_call(method.name, outcome, perf_counter() - started)
            return result

        return call

    async def _answer(self, method: AnyMethod, exchange: Exchange, raw_params: dict[str, Any]) -> msgspec.Raw:
        params = decode_params(raw_params, method.params)
        caller = caller_of(params.context)
        if caller is not None and caller.tainted and not method.moves_turns:
            self._services.agent(params.agent_id).hear_taint(caller)
        check_right(
            method.right,
            caller,
            lambda caller: self._services.agent(params.agent_id).missing_authority(caller),
        )
        if method.needs_line and exchange.caller.duplex is None:
            raise DeniedError("this needs a connection of the line protocol", reason="line_protocol")
        limit_s = self._limit_s(method.pace, params.agent_id)
        if params.deadline_ms is not None:
            limit_s = min(limit_s, params.deadline_ms / 1000)
        admission = self.admissions[method.pace]
        call = Call(
            self._services,
            self._limits,
            exchange.received_at + limit_s,
            caller,
            exchange.caller.duplex,
            exchange.delivery,
            self._metrics.count,
        )

        async def work() -> bytes:
            await admission.enter()
            try:
                return await answer_once(method, call, params)
            finally:
                admission.leave()

        try:
            if method.pace == "write":
                encoded = await self._finish_by(call.deadline_at, work, grace_s=WRITE_GRACE_S)
            else:
                encoded = await self._finish_by(call.deadline_at + GRACE_S, work)
        except DeadlineError:
            if method.when_late is None:
                raise
            encoded = msgspec.json.encode(method.when_late)
        if len(encoded) > self._limits.result_bytes:
            raise TooLargeError("the answer is too large", reason="result_bytes")
        return msgspec.Raw(encoded)

    async def _finish_by(
        self, deadline_at: float, work: Callable[[], Awaitable[bytes]], *, grace_s: float = 0.0
    ) -> bytes:
        """What ``work`` gives, which is cancelled at the deadline; for ``grace_s`` it may give it even so."""
        if self._nursery is None:
            raise UnavailableError("memd is stopping", reason="closed")
        results: list[bytes] = []
        failures: list[Exception] = []
        ended = trio.Event()
        scope = trio.CancelScope()

        async def run() -> None:
            try:
                with scope:
                    results.append(await work())
            except Exception as error:
                failures.append(error)
            finally:
                ended.set()

        self._nursery.start_soon(run)
        try:
            with trio.move_on_at(deadline_at):
                await ended.wait()
        finally:
            if not ended.is_set():
                scope.cancel()
        if not ended.is_set():
            with trio.move_on_at(deadline_at + grace_s):
                await ended.wait()
        if results:
            return results[0]
        if failures:
            raise failures[0]
        raise DeadlineError("nothing was ready within the deadline")

    def _limit_s(self, pace: Pace, agent_id: str) -> float:
        match pace:
            case "read":
                return self._limits.read_ms / 1000
            case "write":
                return self._limits.write_ms / 1000
            case "sync":
                return self._limits.sync_ms / 1000
            case "turn":
                return self._services.agent(agent_id).turn_deadline_ms / 1000
            case "deep":
                return self._services.agent(agent_id).deep_timeout_ms / 1000
            case "job":
                return math.inf
            case _:
                assert_never(pace)
