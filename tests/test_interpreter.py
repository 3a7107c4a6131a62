import sys

from openclaw_memd.interpreter import TURN_S, take_short_turns


def test_turns_are_shorter_than_those_of_python() -> None:
    before = sys.getswitchinterval()
    try:
        take_short_turns()
        assert sys.getswitchinterval() == TURN_S < before
    finally:
        sys.setswitchinterval(before)
