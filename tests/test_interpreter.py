import gc
import importlib
import sys

import pytest

from openclaw_memd.interpreter import (
    NEW_OBJECTS,
    TURN_S,
    do_without,
    look_for_garbage_seldom,
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
        look_for_garbage_seldom()
        assert gc.get_threshold()[0] == NEW_OBJECTS > before[0]
        assert gc.get_freeze_count() > len(gc.get_objects())
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


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
