"""The daemon as a process: what it holds, the order in which it starts, and how it stops."""

import os
import signal
from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path

import structlog
import trio
from msgspec.structs import replace

from openclaw_memd.allocator import share_arenas
from openclaw_memd.clock import SystemClock, SystemRng
from openclaw_memd.config import paths
from openclaw_memd.config.load import workspace_of
from openclaw_memd.config.schema import Config
from openclaw_memd.daemon.agents import AgentMemory
from openclaw_memd.daemon.backups import Backups
from openclaw_memd.daemon.chatting import close_chats, open_chats
from openclaw_memd.daemon.descriptors import raise_limit, room_for_connections
from openclaw_memd.daemon.embedding import KeptCalibrations, build_embedder
from openclaw_memd.daemon.measures import Happenings
from openclaw_memd.daemon.outside import Outside
from openclaw_memd.daemon.services import DaemonServices
from openclaw_memd.daemon.settings import check_settings
from openclaw_memd.daemon.telling import follow_status
from openclaw_memd.daemon.workspace import WorkspaceMemory
from openclaw_memd.domain import recall_intent, reminder_wishes
from openclaw_memd.events import Events
from openclaw_memd.files.workspace import open_workspace
from openclaw_memd.gateway.listener import Listener, inherit_from_launchd, inherit_listener, open_listener
from openclaw_memd.gateway.server import Gateway
from openclaw_memd.index.calibrations import Calibrations
from openclaw_memd.interpreter import look_for_garbage_seldom, take_short_turns
from openclaw_memd.jobs import Jobs
from openclaw_memd.models.calibration import Measurements
from openclaw_memd.supervisor import Health, ServiceManager, keep_running
from openclaw_memd.version import VERSION
from openclaw_memd.zones import Zone

log = structlog.get_logger("memd.daemon")

GUARD_EVERY_S = 30.0
WRITER_TIMEOUT_S = 60.0
PLACES_LOOK_S = 2.0
GRACE_S = 3.0
"""How long calls in flight may take after a stop signal; a whole stop takes at most 5 s."""

START_LIMIT = "EXTEND_TIMEOUT_USEC=60000000"
"""What a service manager is asked for before each workspace: as long as the unit gives a whole start."""

LAUNCHD_SOCKET = "Listener"


class WriterDeadError(Exception):
    """A database writer cannot do its work any more: only a new process helps."""


class StateLostError(WriterDeadError):
    """The state folder was removed or replaced: what is written goes to files that nobody finds again."""

    def __init__(self, folder: Path) -> None:
        super().__init__(
            f"{folder}: the state folder, or the ledger in it, was taken away while memd ran;"
            " start memd again to make a new one from the files"
        )


async def run_daemon(
    config: Config,
    *,
    env: MutableMapping[str, str],
    warnings: Sequence[str] = (),
    on_leaving: Callable[[], object] = lambda: None,
) -> None:
    """Serve until SIGTERM or SIGINT. ``on_leaving`` is called as soon as it is clear that the end has come.

    ``warnings`` are sentences on the configuration for ``status``.

    Raises:
        ConfigError: a setting cannot be used.
        AlreadyRunningError, SocketPathError: the socket cannot be had.
        ConflictError: another daemon holds a workspace, or took one that was made anew.
        WorkspaceError, ForeignStateError, NewerFormatError: a workspace or its state cannot be used.
        UnavailableError: the disk cannot be used.
        WriterDeadError: a writer stopped answering, or its folder is gone.
    """
    check_settings(config)
    share_arenas()
    take_short_turns()
    look_for_garbage_seldom()
    manager = ServiceManager(env)
    stopping = trio.Event()
    connections, scarcity = room_for_connections(config.limits.connections, raise_limit())
    async with AsyncExitStack() as held:
        listener = _listen(config, env)
        held.callback(listener.close)
        clock, rng, jobs = SystemClock(), SystemRng(), Jobs()
        measured = Measurements()
        embedder = build_embedder(config, env, clock, rng, measured)
        held.push_async_callback(embedder.aclose)
        happenings = Happenings()
        events = Events(clock, happenings.hear)
        chats = open_chats(config, env, clock, rng)
        held.push_async_callback(close_chats, chats)
        archives = paths.backups_dir(env, config.paths.data_dir or None)
        outside = Outside(clock, rng, embedder, jobs, events, archives=archives, env=env)
        memories = _open_workspaces(config, env, outside, held)
        opened = tuple(dict.fromkeys(memories.values()))
        for number, memory in enumerate(opened, 1):
            manager.notify(f"STATUS=opening workspace {number} of {len(opened)}", START_LIMIT)
            await memory.load()
        measured.keep_in(KeptCalibrations(Calibrations(opened[0].vectors.database), clock))
        agents = {
            agent: AgentMemory.build(
                memory,
                config.agents[agent],
                embedder,
                clock,
                zone=Zone(config.time.zone),
                chat=chats[agent],
            )
            for agent, memory in memories.items()
        }
        backups = Backups(
            {memory: [agent for agent, one in memories.items() if one is memory] for memory in opened},
            config.backup,
            state_dir=paths.state_dir(env, config.paths.state_dir or None),
            folder=archives,
            zone=Zone(config.time.zone),
            clock=clock,
            jobs=jobs,
        )
        services = DaemonServices(
            agents,
            jobs,
            embedder,
            clock,
            events,
            backups=backups,
            happenings=happenings,
            socket=str(listener.path or socket_of(config, env)),
            warnings=(*warnings, *([scarcity] if scarcity else ())),
        )
        async with trio.open_nursery() as tasks:
            await tasks.start(_stop_on_signal, stopping, on_leaving)
            await tasks.start(jobs.run)
            async with trio.open_nursery() as front:
                gateway = Gateway(services, replace(config.limits, connections=connections))
                await front.start(partial(gateway.serve, listener, stopping=stopping, grace_s=GRACE_S))
                for memory in opened:
                    await tasks.start(memory.run)
                manager.notify("READY=1", f"STATUS=serving {len(agents)} agents")
                log.info("ready", version=VERSION, agents=len(agents), pid=os.getpid())
                tasks.start_soon(partial(trio.to_thread.run_sync, _compile_grammars, abandon_on_cancel=True))
                prove = partial(_prove_alive, opened)
                tasks.start_soon(manager.feed_watchdog, prove)
                tasks.start_soon(_guard_writers, prove, on_leaving)
                tasks.start_soon(_guard_places, opened, on_leaving)
                follow = partial(follow_status, events, partial(services.status, False))
                tasks.start_soon(keep_running, "status events", follow, Health("status events"))
                if backups.is_scheduled:
                    tasks.start_soon(keep_running, "backups", backups.run, backups.health)
            manager.notify("STOPPING=1")
            tasks.cancel_scope.cancel()
    log.info("stopped", pid=os.getpid())


def _compile_grammars() -> None:
    """Do before the first message what it would wait for, now that others are served."""
    for asking in recall_intent.GRAMMARS:
        asking.compile()
    for wishing in reminder_wishes.GRAMMARS:
        wishing.compile()


async def _stop_on_signal(
    stopping: trio.Event,
    on_leaving: Callable[[], object],
    *,
    task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED,
) -> None:
    with trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT) as signals:
        task_status.started()
        async for number in signals:
            log.info("stopping", signal=signal.Signals(number).name)
            if not stopping.is_set():
                on_leaving()
                stopping.set()


async def _prove_alive(memories: Sequence[WorkspaceMemory]) -> None:
    for memory in memories:
        await memory.databases.prove_alive()


async def _guard_writers(prove: Callable[[], Awaitable[None]], on_leaving: Callable[[], object]) -> None:
    """End the process when a writer hangs; a service manager starts it again."""
    while True:
        await trio.sleep(GUARD_EVERY_S)
        with trio.move_on_after(WRITER_TIMEOUT_S) as scope:
            await prove()
        if scope.cancelled_caught:
            on_leaving()
            raise WriterDeadError("a database writer does not answer")


async def _guard_places(memories: Sequence[WorkspaceMemory], on_leaving: Callable[[], object]) -> None:
    """End the process when a state folder is gone; a service manager starts it again, with a new one.

    A workspace that was made anew is locked again.
    """
    while True:
        await trio.sleep(PLACES_LOOK_S)
        for memory in memories:
            if not memory.has_state:
                log.critical("the state folder is gone, memd ends")
                on_leaving()
                raise StateLostError(memory.workspace.state)
            await trio.to_thread.run_sync(memory.workspace.renew)


def _listen(config: Config, env: MutableMapping[str, str]) -> Listener:
    """The service manager's socket when it hands one over, else our own."""
    inherited = inherit_listener(env) or inherit_from_launchd(LAUNCHD_SOCKET)
    return inherited or open_listener(socket_of(config, env))


def socket_of(config: Config, env: Mapping[str, str]) -> Path:
    """Where clients look for this daemon."""
    return paths.socket_path(env, config.paths.socket or None, config.paths.state_dir or None)


def _open_workspaces(
    config: Config, env: Mapping[str, str], outside: Outside, held: AsyncExitStack
) -> dict[str, WorkspaceMemory]:
    """Each agent's workspace, opened once however many agents name it."""
    state_dir = paths.state_dir(env, config.paths.state_dir or None)
    by_path: dict[Path, list[str]] = {}
    for agent, settings in config.agents.items():
        by_path.setdefault(Path(os.path.realpath(workspace_of(settings, env)[0])), []).append(agent)
    memories: dict[str, WorkspaceMemory] = {}
    for agents in by_path.values():
        path, is_named = workspace_of(config.agents[agents[0]], env)
        workspace = open_workspace(path, state_dir=state_dir, create=not is_named)
        try:
            memory = WorkspaceMemory(workspace, config, agents, outside)
        except BaseException:
            workspace.close()
            raise
        held.push_async_callback(memory.aclose)
        memories |= dict.fromkeys(agents, memory)
    return {agent: memories[agent] for agent in config.agents}
