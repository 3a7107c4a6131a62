"""``memd`` in which a process kills itself at a named point, once a file says so: ``python -m`` this.

Product code knows nothing of it: functions are given other code when the process starts, wherever they were
imported to. The file named by ``KILL_AT`` holds the name of the point; while it is missing nothing happens.
"""

import inspect
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from types import CodeType, FunctionType
from typing import Any

KILL_AT = "KILL_AT"


@dataclass(frozen=True, slots=True)
class Point:
    """Before or after a call of a function; ``flow`` says what is done when it is reached."""

    flow: str
    module: str
    function: str
    is_after: bool = False

    def __str__(self) -> str:
        side = "after" if self.is_after else "before"
        return f"{self.flow}:{self.module}.{self.function}:{side}"

    def find(self) -> FunctionType:
        found: Any = import_module(f"openclaw_memd.{self.module}")
        for name in self.function.split("."):
            found = inspect.getattr_static(found, name)
        assert isinstance(found, FunctionType), self
        return found


def _both(flow: str, module: str, *functions: str) -> Sequence[Point]:
    return [Point(flow, module, name, side) for name in functions for side in (False, True)]


def _before(flow: str, module: str, *functions: str) -> Sequence[Point]:
    return [Point(flow, module, name) for name in functions]


POINTS: Sequence[Point] = (
    *_both("append", "index.ledger.appends", "accept_call", "mark_written"),
    *_both("append", "index.ledger.spans", "record_spans"),
    *_both("append", "files.notes", "append_note", "_write"),
    *_both("say", "index.ledger.sessions", "change_session"),
    *_both("spool", "index.ledger.appends", "mark_spooled"),
    *_both("replay", "files.notes", "complete_note"),
    *_both("replay", "index.ledger.appends", "mark_written"),
    *_both("reconcile", "files.notes", "complete_note"),
    *_both("reconcile", "index.ledger.appends", "mark_written"),
    *_both("sync", "index.publishing", "publish", "_Writer.put", "_Writer.finish"),
    *_both("rebuild", "index.rebuilding", "_take_place"),
    *_both("rebuild", "index.counters", "raise_generation"),
    *_before("trust", "index.ledger.trusting", "trust_lines"),
    *_both("trust", "index.attributor", "LedgerAttributor.trust"),
    *_both("fill", "index.vector_store", "VectorStore.put"),
    *_before("fill", "index.filler", "Filler._settle"),
    *_both("curated", "index.ledger.rewrites", "begin_curated", "conclude_curated"),
    *_both("curated", "index.ledger.preimages", "insert_preimage"),
    *_both("curated", "files.exchange", "_swap"),
    *_both("recover", "index.ledger.rewrites", "finish_curated"),
    *_before("recover", "curated.placement", "Placement._resolve"),
    *_both("fire", "index.ledger.intent_fires", "add_fire"),
    *_both("fire", "index.ledger.turn_answers", "store_turn"),
    *_both("night", "index.ledger.promotions", "begin_promotions", "conclude_promotions"),
    *_both("night", "index.ledger.nights", "begin_run", "end_run"),
    *_both("night", "files.dreams", "DreamPages.edit"),
    *_both("forget", "index.ledger.forgetting", "settle_interrupted", "forget_ledger"),
    *_before(
        "forget",
        "ops.stores",
        "Tombstones.forget",
        "History.forget",
        "StandingIntents.forget",
        "Conversations.forget",
        "Index.forget",
        "Vectors.forget",
        "Databases.forget",
    ),
    *_both("forget", "ops.scrubbing", "Scrubber._put"),
    *_both("forget", "index.store", "_vacuum"),
    *_both("migrate", "index.database", "migrate"),
    *_before("migrate", "index.ledger.losses", "record_loss"),
)


def _stub(*arguments: Any, **more: Any) -> Any:
    hooked: Any = "HOOKED"
    return hooked(*arguments, **more)


async def _async_stub(*arguments: Any, **more: Any) -> Any:
    hooked: Any = "HOOKED"
    return await hooked(*arguments, **more)


def hook(function: FunctionType, names: Sequence[tuple[str, bool]]) -> None:
    """Make ``function`` ask before and after each call whether to die; ``names`` are its points."""
    real = FunctionType(
        function.__code__,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        function.__closure__,
    )
    real.__kwdefaults__ = function.__kwdefaults__
    assert not function.__closure__

    def ask(side: bool) -> None:
        for name, is_after in names:
            if is_after is side:
                die_if_named(name)

    def hooked(*arguments: Any, **more: Any) -> Any:
        ask(False)
        result = real(*arguments, **more)
        ask(True)
        return result

    async def hooked_async(*arguments: Any, **more: Any) -> Any:
        ask(False)
        result = await real(*arguments, **more)
        ask(True)
        return result

    is_async = inspect.iscoroutinefunction(function)
    function.__code__ = (
        _with_constant(_async_stub.__code__, hooked_async)
        if is_async
        else _with_constant(_stub.__code__, hooked)
    )


def _with_constant(code: CodeType, hooked: Callable[..., Any]) -> CodeType:
    constants: tuple[Any, ...] = tuple(hooked if one == "HOOKED" else one for one in code.co_consts)
    return code.replace(co_consts=constants)


def die_if_named(name: str) -> None:
    try:
        with open(os.environ[KILL_AT], encoding="utf-8") as file:  # noqa: PTH123 - quicker
            wanted = file.read()
    except FileNotFoundError:
        return
    if wanted == name:
        os.kill(os.getpid(), signal.SIGKILL)


def hook_all(points: Sequence[Point] = POINTS) -> None:
    by_function: dict[FunctionType, list[tuple[str, bool]]] = {}
    for point in points:
        by_function.setdefault(point.find(), []).append((str(point), point.is_after))
    for function, names in by_function.items():
        hook(function, names)


if __name__ == "__main__":
    from openclaw_memd.cli.main import entry_point

    hook_all()
    sys.argv[0] = "memd"
    entry_point()
