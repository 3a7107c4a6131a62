import pytest

from openclaw_memd.files.arrival import (
    Arrival,
    Clone,
    FirstRun,
    Known,
    LostState,
    Marker,
    Moved,
    judge_arrival,
    loses_origins,
)
from openclaw_memd.files.identity import Identity, host_id

HERE = Identity("/home/me/ws", 1, 10)
BEFORE = Identity("/home/me/old", 1, 10)
RENUMBERED = Identity("/home/me/ws", 2, 10)


@pytest.mark.parametrize(
    ("marker", "states", "is_there", "expected"),
    [
        (None, [], False, FirstRun()),
        (None, [HERE], False, Known(HERE.id)),
        (Marker(HERE.id, "me"), [HERE], False, Known(HERE.id)),
        (Marker(HERE.id, "me"), [], False, LostState()),
        (Marker("", "me"), [], False, LostState()),
        (Marker("", "me"), [HERE], False, Known(HERE.id)),
        (Marker(HERE.id, "other"), [], False, Clone()),
        (Marker(BEFORE.id, "other"), [HERE], False, Known(HERE.id)),
        (Marker(BEFORE.id, "me"), [BEFORE], False, Moved(BEFORE.id)),
        (Marker(BEFORE.id, "me"), [BEFORE, HERE], False, Moved(BEFORE.id)),
        (Marker(BEFORE.id, "me"), [BEFORE], True, Clone()),
        (Marker(BEFORE.id, "me"), [], False, LostState()),
        (Marker(RENUMBERED.id, "me"), [RENUMBERED], False, Known(RENUMBERED.id)),
    ],
)
def test_what_a_start_finds(
    marker: Marker | None, states: list[Identity], is_there: bool, expected: Arrival
) -> None:
    recorded = {state.id: state for state in states}
    assert judge_arrival(HERE, marker, "me", recorded.get, lambda _: is_there) == expected


@pytest.mark.parametrize(
    ("arrival", "lost"),
    [(FirstRun(), False), (Known("a"), False), (Clone(), False), (Moved("a"), True), (LostState(), True)],
)
def test_origins_are_lost_where_a_state_was_before(arrival: Arrival, lost: bool) -> None:
    assert loses_origins(arrival) is lost


def test_an_id_depends_on_path_device_and_inode_and_is_a_plain_name() -> None:
    ids = {Identity(path, device, inode).id for path in ("/a", "/b") for device in (1, 2) for inode in (1, 2)}
    assert len(ids) == 8
    assert all(id_.isalnum() and len(id_) == 20 for id_ in ids)


def test_the_host_has_a_stable_name() -> None:
    assert host_id() == host_id()
    assert host_id().isalnum()
