"""What can be told while no daemon answers. It blocks; only trials write, in folders of their own."""

import os
import socket as sockets
import stat
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from openclaw_memd.curated.looking import NOTHING_SEEN, CuratedLook
from openclaw_memd.files.lock import LOCK_NAME
from openclaw_memd.files.marker import read_record
from openclaw_memd.files.survey import find_other_notes
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.index.inspecting import inspect_file
from openclaw_memd.index.opening import INDEX_NAME, STATE_NAME
from openclaw_memd.index.origins import BY_PLACE
from openclaw_memd.injection.given_files import Budgets, GivenFiles
from openclaw_memd.ops.doctor.checking import check_instructions, own_names
from openclaw_memd.ops.doctor.curated import judge_curated
from openclaw_memd.ops.doctor.findings import Finding
from openclaw_memd.ops.doctor.locks import find_holder
from openclaw_memd.ops.doctor.machine import judge_clock
from openclaw_memd.ops.doctor.surroundings import Surroundings
from openclaw_memd.ops.doctor.survey import survey
from openclaw_memd.ops.doctor.workspace import judge_workspace
from openclaw_memd.zones import Zone

_FOLDER: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_DATABASES: Final = (
    (STATE_NAME, "state", "ledger-damaged"),
    (INDEX_NAME, "index", "index-damaged"),
    ("vectors.db", "vectors", "vectors-damaged"),
)


def judge_socket(path: Path) -> Iterator[Finding]:
    """What is to be said of the socket that nobody answers on."""
    holder = find_holder(_lock_of(path))
    if holder is not None:
        who = "A daemon" if holder.pid is None else f"The daemon with pid {holder.pid}"
        yield Finding.of("daemon-silent", f"{who} holds the lock of {path} and does not answer.")
        return
    yield Finding.of("no-daemon", f"No daemon answers at {path}.")
    try:
        is_socket = stat.S_ISSOCK(path.lstat().st_mode)
    except OSError:
        return
    if is_socket and not _is_listened_to(path):
        yield Finding.of("stale-socket", f"{path} is left of a daemon that ended.")


def find_state(states: Path, workspace: Path) -> Path | None:
    """The state folder among those in ``states`` that was made for the workspace; None: there is none."""
    try:
        found = workspace.stat()
        folders = sorted(folder for folder in states.iterdir() if folder.name.isalnum() and folder.is_dir())
    except OSError:
        return None
    for folder in folders:
        try:
            descriptor = os.open(folder, _FOLDER | os.O_NOFOLLOW)
        except OSError:
            continue
        try:
            record = read_record(descriptor)
        finally:
            os.close(descriptor)
        if record is not None and (record.device, record.inode) == (found.st_dev, found.st_ino):
            return folder
    return None


def check_workspace(
    around: Surroundings, corpus: Corpus, budgets: Budgets, *, is_named: bool
) -> Iterator[Finding]:
    """Everything that can be told of a workspace, its state and what is around them, without a daemon.

    ``is_named``: somebody named the workspace, so that no start makes it.
    """
    if not around.workspace.is_dir():
        told = f"{around.workspace} is not there, or is no folder."
        if is_named:
            yield Finding.of("workspace-missing", told)
        else:
            yield Finding.of(
                "workspace-missing",
                f"{told} The first start makes it.",
                severity="info",
                by_hand="Nothing, unless yours is elsewhere: then name it as [agents.main] workspace.",
            )
        yield from around.check(0, [])
        return
    is_at_socket = around.socket is not None and find_holder(_lock_of(around.socket)) is not None
    is_held = find_holder(around.workspace / "memory" / ".dreams" / LOCK_NAME) is not None
    if is_held and not is_at_socket:
        yield Finding.of("workspace-held", f"Another daemon holds the workspace {around.workspace}.")
    elif around.state is not None and not is_at_socket:
        yield from _judge_databases(around)
    seen = replace(survey(corpus, {}, lambda: None), missing=())
    today = Zone(around.config.time.zone).day(around.now)
    yield from judge_workspace(seen, find_other_notes(corpus.roots), today=today)
    curated = CuratedLook(corpus.roots, corpus.rules, BY_PLACE, lambda _file, _hashes: {})
    state = curated.see(NOTHING_SEEN, 1, 0).state
    yield from judge_curated(state, GivenFiles(budgets).figures(state, today))
    yield from check_instructions(corpus.roots, budgets.file_chars)
    yield from around.check(len(seen.folders) + 1, own_names(seen))


def _judge_databases(around: Surroundings) -> Iterator[Finding]:
    assert around.state is not None
    for name, schema, damaged in _DATABASES:
        path = around.state / name
        if not path.exists():
            continue
        found = inspect_file(path, schema)
        match found.condition:
            case "damaged":
                yield Finding.of(damaged, f"{name} is damaged.")
            case "newer":
                yield Finding.of("newer-database", f"A newer memd wrote {name}.", subject=name)
            case "unreadable":
                yield Finding.of("database-unreadable", f"{name} cannot be opened.", subject=name)
            case "sound":
                yield from judge_clock(around.now, found.newest, 0.0)


def _lock_of(socket: Path) -> Path:
    return Path(f"{socket}.lock")


def _is_listened_to(path: Path) -> bool:
    with sockets.socket(sockets.AF_UNIX) as probe:
        probe.setblocking(False)
        try:
            probe.connect(os.fspath(path))
        except BlockingIOError:
            return True
        except OSError:
            return False
    return True
