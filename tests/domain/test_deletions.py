from openclaw_memd.domain.deletions import Step, find_deleted, find_returned, trace_entries
from openclaw_memd.domain.markdown import parse_entries
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.domain.traces import Trace

ANALYZER = Analyzer()


def traces(*entries: str, file: str = "MEMORY.md") -> list[Trace]:
    text = "".join(f"- {entry}\n" for entry in entries)
    return trace_entries(file, parse_entries(text), ANALYZER)


def deleted(
    known: list[Trace], now: list[Trace], *steps: Step, elsewhere: tuple[Trace, ...] = ()
) -> list[bytes]:
    return [trace.hash for trace in find_deleted(known, steps, now, elsewhere)]


ROOF, RAIN, PORT = traces("The roof leaks.", "It rains.", "The port is 8123.")


def test_what_is_gone_was_deleted_unless_it_stands_elsewhere() -> None:
    assert deleted([ROOF, RAIN], [RAIN]) == [ROOF.hash]
    assert deleted([ROOF, RAIN], [RAIN], elsewhere=(ROOF,)) == []
    assert deleted([ROOF], [], elsewhere=(*traces("* the roof leaks!"),)) == []
    assert deleted([PORT], traces("The port is 9400.")) == [PORT.hash]


def test_a_subject_is_a_key_in_its_scope() -> None:
    (one,) = traces("The port is 8123. <!-- key: port --> <!-- project: o/a -->")
    assert deleted([one], traces("The port is 9400. <!-- key: port --> <!-- project: o/a -->")) == []
    assert deleted([one], traces("The port is 9400. <!-- key: port -->")) == [one.hash]
    (user,) = traces("Never call. <!-- key: k --> <!-- project: o/a -->", file="USER.md")
    assert deleted([user], traces("Always call. <!-- key: k -->", file="USER.md")) == []


def test_what_memd_did_in_between_was_not_deleted() -> None:
    step = Step(before=[RAIN, PORT], after=[PORT])
    assert deleted([ROOF, RAIN, PORT], [PORT], step) == [ROOF.hash]
    assert deleted([ROOF, RAIN, PORT], [], step) == [ROOF.hash, PORT.hash]


def test_what_only_lays_out_is_no_entry() -> None:
    text = "---\na: b\n---\n# Core\n\n<!-- remark -->\n\n---\n\n- a\n"
    assert len(trace_entries("MEMORY.md", parse_entries(text), ANALYZER)) == 1


def test_entries_without_words_are_told_apart() -> None:
    dots, dashes = traces("...", "?!")
    assert find_returned([dots, dashes], [dashes]) == [dashes]
