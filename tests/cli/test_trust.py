"""``memd trust``."""

import json

from openclaw_memd.cli.exits import DONE, FAILED
from tests.cli.terminals import type_memd
from tests.daemons import RunningDaemon


def origins(daemon: RunningDaemon, word: str) -> set[str]:
    hits = json.loads(daemon.memd("search", word, "--json").stdout)["hits"]
    return {hit["origin"] for hit in hits}


def test_lines_are_raised_and_lowered_by_the_place_that_search_shows(writable: RunningDaemon) -> None:
    writable.memd("note", "A platypus swims.")
    writable.settle()
    place = writable.memd("search", "platypus").stdout.split("  ")[0]

    denied = writable.memd("trust", place)
    assert (denied.returncode, denied.stdout) == (FAILED, "")
    assert origins(writable, "platypus") == {"untrusted"}

    raised = writable.memd("trust", place, "--as-owner")
    assert (raised.returncode, raised.stdout[-12:]) == (DONE, "now trusted\n")
    writable.settle()
    assert origins(writable, "platypus") == {"agent"}
    assert writable.memd("trust", place, "--as-owner").stdout == "nothing to change\n"

    lowered = writable.memd("trust", place, "--lower", "--json")
    assert json.loads(lowered.stdout)["changed"] >= 1
    writable.settle()
    assert origins(writable, "platypus") == {"untrusted"}


def test_the_owner_on_a_terminal_may_raise(writable: RunningDaemon) -> None:
    writable.write("memory/trip-untrusted.md", "- A numbat runs far.\n- A dunnart hides.\n")
    writable.settle()

    done = type_memd("trust", "memory/trip-untrusted.md", env=writable.env)
    writable.settle()

    assert done.stdout == "2 lines now trusted\n"
    assert origins(writable, "numbat") == {"agent"}
