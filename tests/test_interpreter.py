import gc
import importlib
import sys
import weakref

import pytest

from openclaw_memd.interpreter import (
    MANY_PARTS,
    NEW_OBJECTS,
    TURN_S,
    do_without,
    load_without_looking,
    look_at_passed_over,
    look_for_garbage_seldom,
    made_to_last,
    take_short_turns,
)


def test_turns_are_shorter_than_those_of_python() -> None:
    before = sys.getswitchinterval()
    try:
        take_short_turns()
        assert sys.getswitchinterval() == TURN_S < before
    finally:
        sys.setswitchinterval(before)


def test_the_collector_passes_over_what_the_program_is_made_of() -> None:
    before = gc.get_threshold()
    try:
        load_without_looking()
        assert not gc.isenabled()
        look_for_garbage_seldom()
        assert gc.isenabled()
        assert gc.get_threshold()[0] == NEW_OBJECTS > before[0]
        assert gc.get_freeze_count() > len(gc.get_objects())
    finally:
        gc.enable()
        gc.set_threshold(*before)
        gc.unfreeze()


class Knot:
    """Refers to itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.mark.parametrize(("parts", "is_passed_over"), [(MANY_PARTS, True), (MANY_PARTS - 1, False)])
def test_the_collector_passes_over_what_is_made_to_last(parts: int, is_passed_over: bool) -> None:
    garbage = weakref.ref(Knot())
    try:
        with made_to_last(parts):
            assert (garbage() is None) == is_passed_over, "what was thrown away before does not last"
            made = [Knot() for _ in range(parts)]
        assert (gc.get_freeze_count() >= parts) == is_passed_over
        left = {id(one) for one in gc.get_objects()}
        assert any(id(one) in left for one in made) != is_passed_over
    finally:
        gc.unfreeze()


def test_what_was_made_to_last_goes_when_nobody_needs_it() -> None:
    try:
        with made_to_last(MANY_PARTS):
            made = Knot()
            made.itself = None  # type: ignore[assignment]
        seen = weakref.ref(made)
        del made
        assert seen() is None
    finally:
        gc.unfreeze()


def test_what_was_passed_over_is_looked_at_after_a_while() -> None:
    try:
        with made_to_last(MANY_PARTS):
            knot = weakref.ref(Knot())
        gc.collect()
        assert knot() is not None, "a cycle that was made meanwhile"
        look_at_passed_over(least=1)
        assert knot() is None
        assert gc.get_freeze_count()
    finally:
        gc.unfreeze()


def test_passed_over_is_not_looked_at_each_time() -> None:
    look_at_passed_over(least=0)
    gc.unfreeze()
    look_at_passed_over()
    assert not gc.get_freeze_count()


def test_what_the_program_does_without_cannot_be_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    do_without(["colorsys"])
    with pytest.raises(ImportError):
        importlib.import_module("colorsys")
    del sys.modules["colorsys"]
    assert importlib.import_module("colorsys")


def test_what_is_imported_already_stays() -> None:
    do_without(["json"])
    assert importlib.import_module("json").loads("1") == 1
