"""Planning what a curated file becomes."""

import re
from collections.abc import Sequence
from datetime import date

import pytest
from hypothesis import example, given, reject
from hypothesis import strategies as st

from openclaw_memd.domain.annotations import Annotations, parse_annotations
from openclaw_memd.domain.curated_files import MEMORY, USER, bare_text, is_active, scope_of
from openclaw_memd.domain.curated_plan import Memory, Planned, plan_memory
from openclaw_memd.domain.markdown import parse_entries
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.errors import ConflictError, InvalidParamsError, TooLargeError
from tests.domain.strategies import notes, patient

DAY = date(2026, 1, 11)
EARLIER = "<!-- observed: 2025-05-05 | status: active -->"
NOW = "<!-- observed: 2026-01-11 | status: active -->"
ANALYZER = Analyzer()

files = st.sampled_from([MEMORY, USER])
keys = st.sampled_from(["deploy-target", "editor"])
saids = st.builds(
    Annotations,
    triggers=st.lists(st.sampled_from(["gateway port", "网关设置", "порт"]), unique=True, max_size=2).map(
        tuple
    ),
    importance=st.none() | st.integers(1, 10),
    key=st.none() | keys,
)
projects = st.none() | st.sampled_from(["github.com/o/a", "github.com/o/b"])
sentences = st.sampled_from(
    [
        "The port is 8123.",
        "Always answer in German.",
        "- a\n- b",
        "```\ncode",
        "📦🚀",
        "端口是八千。",
        "label: value",
    ]
)
memories = st.builds(Memory, sentences, saids, st.just(DAY), default_project=projects)
keyed_lines = st.builds(
    lambda indent, text, key, project: (
        f"{indent}- {text} <!-- key: {key} -->" + (f" <!-- project: {project} -->" if project else "")
    ),
    st.sampled_from(["", "", " ", "  ", "      "]),
    st.sampled_from(["Deploys go to one place.", "The editor is vim.", "The port is 8123."]),
    keys,
    projects,
)
texts = st.one_of(
    notes.map(lambda text: text.removeprefix("\ufeff").replace("\r", "")),
    st.lists(keyed_lines | st.sampled_from(["# Core", "## Other", "", "words"]), max_size=8).map("\n".join),
)


def remember(text: str | None, said: str, file: str = MEMORY, **more: object) -> Planned:
    known = {name: more.pop(name) for name in ("replaces", "is_scoped", "default_project") if name in more}
    memory = Memory(said, Annotations(**more), DAY, **known)  # type: ignore[arg-type]
    return plan_memory(file, text, memory, ANALYZER)


def plan(file: str, before: str, memory: Memory) -> Planned:
    """The plan; there may be none where fences of several depths are left open, or indents run wild."""
    try:
        return plan_memory(file, before, memory, ANALYZER)
    except ConflictError as error:
        if error.reason != "no_place" or not re.search(r"(?m)```|~~~|^ +- ", before):
            raise
        reject()


def is_subsequence(part: Sequence[str], whole: Sequence[str]) -> bool:
    rest = iter(whole)
    return all(line in rest for line in part)


def left_of(before: str, planned: Planned) -> list[str]:
    """The lines of the old text that are in none of the entries that were superseded."""
    lines: list[str | None] = list(before.split("\n"))
    gone = list(planned.superseded)
    for entry in parse_entries(before):
        if entry.text in gone and is_active(entry):
            lines[entry.start_line - 1 : entry.end_line] = [None] * (entry.end_line - entry.start_line + 1)
    return [line for line in lines if line is not None]


@given(files, texts, memories)
@patient
def test_no_line_is_lost_but_those_that_are_superseded(file: str, before: str, memory: Memory) -> None:
    planned = plan(file, before, memory)
    assert is_subsequence(left_of(before, planned), planned.text.split("\n"))
    if before and not planned.superseded:
        assert planned.text.endswith("\n") == before.endswith("\n")
    new = set(planned.text.split("\n")) - set(before.split("\n"))
    assert new <= {*planned.added, *planned.marked, ""}


@given(files, texts, memories)
@example(
    USER,
    "- x <!-- key: editor --> <!-- project: github.com/o/a -->",
    Memory("y", Annotations(key="editor"), DAY),
)
@patient
def test_the_new_entry_is_one_and_alone_with_its_key_in_its_scope(
    file: str, before: str, memory: Memory
) -> None:
    planned = plan(file, before, memory)
    entries = [entry for entry in parse_entries(planned.text) if is_active(entry)]
    (found,) = [entry for entry in entries if entry.start == planned.entry.start]
    assert found == planned.entry
    said = found.annotations
    assert (memory.said.key or said.key) == said.key
    assert (memory.said.importance or said.importance) == said.importance
    assert (memory.said.triggers or said.triggers) == said.triggers
    if memory.said.key is not None:
        alike = [
            entry
            for entry in entries
            if entry.annotations.key == said.key
            and entry.annotations.project_valid
            and scope_of(file, entry.annotations) == scope_of(file, said)
        ]
        assert alike == [found]


@given(files, texts, memories)
@patient
def test_remembering_twice_is_remembering_once(file: str, before: str, memory: Memory) -> None:
    once = plan(file, before, memory)
    twice = plan_memory(file, once.text, memory, ANALYZER)
    assert (twice.text, twice.is_new, twice.added) == (once.text, False, ())
    assert bare_text(twice.entry.text) == bare_text(once.entry.text)


@given(st.text(max_size=60), files)
@patient
def test_any_text_is_one_entry_that_annotates_nothing(text: str, file: str) -> None:
    try:
        planned = plan_memory(
            file, "# Core\n\n- zebra 77\n", Memory(text, Annotations(key="k"), DAY), ANALYZER
        )
    except InvalidParamsError:
        return
    assert planned.text.startswith("# Core\n\n- zebra 77\n")
    assert planned.entry.annotations.key == "k"
    assert planned.entry.annotations.project_valid


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, "- new {}\n"),
        ("", "- new {}\n"),
        ("# Core\n", "# Core\n- new {}\n"),
        ("# Core\n\n- a\n", "# Core\n\n- a\n- new {}\n"),
        ("- a\n- b", "- a\n- b\n- new {}"),
        ("- a\n\n\n", "- a\n- new {}\n\n\n"),
        ("words\n", "words\n- new {}\n"),
        ("# A\n\n- a\n\n# B\n\n- b\n", "# A\n\n- a\n\n# B\n\n- b\n\n## Remembered\n\n- new {}\n"),
        ("## Remembered\n\n- a\n\n# B\n\n- b\n", "## Remembered\n\n- a\n- new {}\n\n# B\n\n- b\n"),
        ("## Remembered\n- a\n# B\n", "## Remembered\n- a\n- new {}\n\n# B\n"),
        (
            "## Server\n- host: x\n- port: 1\n",
            "## Server\n- host: x\n- port: 1\n\n## Remembered\n\n- new {}\n",
        ),
        ("- a\n\n```sh\nrm\n", "- a\n\n- new {}\n\n```sh\nrm\n"),
        ("---\ntitle: x\n---\n~~~\n", "---\ntitle: x\n---\n- new {}\n\n~~~\n"),
        ("  ```\nrm\n", "  ```\nrm\n  ```\n- new {}\n"),
        ("1. a\n   ```\n   code\n", "1. a\n   ```\n   code\n- new {}\n"),
    ],
)
def test_a_new_entry_has_a_place_of_its_own(before: str | None, after: str) -> None:
    planned = remember(before, "new")
    assert planned.text == after.format("<!-- observed: 2026-01-11 -->")
    assert planned.superseded == ()
    assert planned.added[-1] == "- new <!-- observed: 2026-01-11 -->"


def test_a_key_replaces_where_the_old_entry_stands() -> None:
    before = "# Core\n\n- Deploys to heroku <!-- trigger: deploy --> <!-- key: target -->\n  by hand\n- b\n"
    planned = remember(before, "Deploys to fly", key="target")
    new = "- Deploys to fly <!-- trigger: deploy --> <!-- key: target | observed: 2026-01-11 -->"
    assert planned.text == f"# Core\n\n{new}\n- b\n"
    assert planned.superseded == (
        "- Deploys to heroku <!-- trigger: deploy --> <!-- key: target -->\n  by hand",
    )
    assert planned.entry.start_line == 3


def test_what_is_said_now_goes_before_what_was_said() -> None:
    before = "- a <!-- trigger: x --> <!-- importance: 3 --> <!-- key: k | expires: 2020-01-01 -->"
    found = remember(before, "b", key="k", importance=9).entry.annotations
    assert found == Annotations(triggers=("x",), importance=9, key="k", observed=DAY)


def test_in_user_md_the_old_entry_stays_as_superseded_beside_the_new_one() -> None:
    before = f"# Me\n\n{EARLIER}\n- Always answer in English. <!-- key: language -->\n- Never call.\n"
    planned = remember(before, "Always answer in German.", USER, key="language")
    assert planned.text == (
        f"# Me\n\n{NOW}\n- Always answer in German. <!-- key: language -->\n"
        f"{EARLIER.replace('active', 'superseded')}\n- Always answer in English. <!-- key: language -->\n"
        "- Never call.\n"
    )
    assert planned.marked == (EARLIER.replace("active", "superseded"),)
    memory = Memory("Always answer in German.", Annotations(key="language"), DAY)
    assert plan_memory(USER, before, memory, ANALYZER, trusted=()).marked == (), "nobody vouches for it"
    again = remember(planned.text, "Always answer in French.", USER, key="language")
    assert again.text.count("status: superseded") == 2
    assert again.superseded == (f"{NOW}\n- Always answer in German. <!-- key: language -->",)


@pytest.mark.parametrize(
    ("before", "flipped"),
    [
        ("- old <!-- key: k -->", "<!-- status: superseded -->\n- old <!-- key: k -->"),
        ("- old <!-- STATUS: Active | key: k -->", "- old <!-- STATUS: superseded | key: k -->"),
        ("  - old <!-- key: k -->", "  <!-- status: superseded -->\n  - old <!-- key: k -->"),
        ("old <!-- key: k -->", "\n<!-- status: superseded -->\nold <!-- key: k -->"),
        (
            "<!-- observed: 2025-05-05 | status: active -->\n\n- old <!-- key: k -->",
            "<!-- observed: 2025-05-05 | status: superseded -->\n\n- old <!-- key: k -->",
        ),
        (
            "- `<!-- status: active -->` <!-- key: k -->",
            "<!-- status: superseded -->\n- `<!-- status: active -->` <!-- key: k -->",
        ),
    ],
)
def test_an_entry_of_any_form_is_marked(before: str, flipped: str) -> None:
    planned = remember(before, "new", USER, key="k")
    assert planned.text.split("- new <!-- key: k -->\n")[1].strip("\n") == flipped.strip("\n")
    assert [entry.annotations.status for entry in parse_entries(planned.text)] == ["active", "superseded"]


@pytest.mark.parametrize(
    "again", ["The port is 8123.", "the port is 8123", "- The port is 8123", "A port is 8123!"]
)
def test_the_same_again_says_where_it_stands(again: str) -> None:
    before = "# Core\n\n- b\n- The port is 8123. <!-- importance: 7 -->\n"
    planned = remember(before, again)
    assert (planned.text, planned.is_new, planned.entry.start_line) == (before, False, 4)
    assert remember(before, again, importance=7).is_new is False


def test_the_same_with_more_said_of_it_is_said_in_its_place() -> None:
    planned = remember(
        "- The port is 8123. <!-- importance: 7 -->\n", "The port is 8123.", triggers=("port",)
    )
    assert planned.text == (
        "- The port is 8123. <!-- trigger: port --> <!-- importance: 7 --> <!-- observed: 2026-01-11 -->\n"
    )
    user = remember(f"{EARLIER}\n- Never call.\n", "Never call.", USER, importance=9)
    assert user.text == f"{NOW}\n- Never call. <!-- importance: 9 -->\n"


def test_the_same_elsewhere_is_no_reason_to_stay_silent() -> None:
    other = f"- Tests run with nox. <!-- project: {A} -->\n"
    planned = remember(other, "Tests run with nox.", default_project=B)
    assert (planned.superseded, planned.entry.annotations.projects) == ((), (B,))
    assert remember(other, "Tests run with nox.", default_project=A).is_new is False
    everywhere = "- Tests run with nox.\n"
    assert remember(everywhere, "Tests run with nox.", default_project=A).is_new is False
    assert remember(everywhere, "Tests run with nox.", projects=(A,), is_scoped=True).is_new is False


def test_the_same_words_about_something_else_are_another_entry() -> None:
    before = "- It is switched on. <!-- key: lamp -->\n"
    assert remember(before, "It is switched on.", key="radio").superseded == ()
    assert remember(before, "It is switched on.").is_new is False
    assert remember("- It is switched on.\n", "It is switched on.", key="lamp").superseded == (
        "- It is switched on.",
    )


def test_two_with_one_key_become_one() -> None:
    line = "- It is on. <!-- key: lamp -->\n"
    planned = remember(line + line, "It is on.", key="lamp")
    assert planned.text == "- It is on. <!-- key: lamp | observed: 2026-01-11 -->\n"


def test_labels_are_replaced_with_their_heading() -> None:
    before = "## Server\n- host: x\n- port: 1\n\n### Notes\n\n- a\n"
    planned = remember(before, "The server is x.", replaces="MEMORY.md#L2")
    assert planned.superseded == ("## Server\n- host: x\n- port: 1",)
    assert planned.text == "- The server is x. <!-- observed: 2026-01-11 -->\n\n### Notes\n\n- a\n"


def test_another_number_is_another_fact() -> None:
    planned = remember("- Lab server runs on port 7001.\n", "Lab server runs on port 7002.")
    assert planned.superseded == ()
    assert len(parse_entries(planned.text)) == 2


A, B = "github.com/o/a", "github.com/o/b"


@pytest.mark.parametrize(
    ("existing", "given", "default", "is_replaced", "scope"),
    [
        (A, None, A, True, (A,)),
        (A, None, B, False, (B,)),
        (None, None, A, True, ()),
        (None, A, None, False, (A,)),
        (A, A, B, True, (A,)),
        (A, None, None, False, ()),
        ("", None, A, True, (A,)),
    ],
)
def test_a_key_holds_within_a_project(
    existing: str | None, given: str | None, default: str | None, is_replaced: bool, scope: tuple[str, ...]
) -> None:
    comment = "" if existing is None else f" <!-- project: {existing or ';'} -->"
    planned = remember(
        f"- old <!-- key: k -->{comment}\n",
        "new",
        key="k",
        projects=() if given is None else (given,),
        is_scoped=given is not None,
        default_project=default,
    )
    assert (planned.superseded != (), planned.entry.annotations.projects) == (is_replaced, scope)


def test_user_md_knows_no_projects() -> None:
    planned = remember("- a <!-- project: github.com/o/a -->\n", "Never call.", USER, default_project=A)
    assert planned.entry.annotations.projects == ()
    assert remember("- a <!-- project: github.com/o/a -->\n", "a", USER, default_project=B).is_new is False


@pytest.mark.parametrize(
    "name", ["old text", "- old text", "* OLD".replace("OLD", "old  text"), "MEMORY.md#L3"]
)
def test_an_entry_is_named_by_what_it_says_or_where_it_stands(name: str) -> None:
    planned = remember("# Core\n\n- old text <!-- importance: 3 -->\n- b\n", "new text", replaces=name)
    assert planned.text == "# Core\n\n- new text <!-- importance: 3 --> <!-- observed: 2026-01-11 -->\n- b\n"
    assert planned.superseded == ("- old text <!-- importance: 3 -->",)


@pytest.mark.parametrize("name", ["other", "", "USER.md#L1", "MEMORY.md#L9", "MEMORY.md#L1-L2"])
def test_a_name_of_nothing_is_refused(name: str) -> None:
    with pytest.raises(InvalidParamsError) as caught:
        remember("- a\n- b\n", "new", replaces=name)
    assert (caught.value.reason, caught.value.field) == ("no_entry", "replaces")


def test_a_name_of_several_is_a_conflict() -> None:
    with pytest.raises(ConflictError) as caught:
        remember("- a\n- b\n- a\n", "new", replaces="a")
    assert caught.value.reason == "ambiguous"


def test_an_expired_entry_is_no_reason_to_stay_silent() -> None:
    assert remember("- a <!-- expires: 2026-01-10 -->\n", "a").is_new
    assert not remember("- a <!-- expires: 2026-01-11 -->\n", "a").is_new


def test_long_and_odd_files() -> None:
    emoji = "".join(f"- 端口{'📦' * 40}{number}。\n" for number in range(300))
    assert remember(emoji, "键在最后").text.startswith(emoji)
    long = f"# Core\n\n- {'x ' * 6500}\n"
    assert remember(long, "key line", key="k").text.startswith(long)
    assert remember(long, "y " * 6500).entry.start_line == 4


def test_nothing_is_added_to_a_file_with_more_entries_than_are_of_use(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("openclaw_memd.domain.curated_plan.MOST_ENTRIES", 2)
    new = Memory("The port is 8123.", Annotations(), DAY)
    assert plan_memory(MEMORY, "- a\n- b\n", new, ANALYZER).is_new
    with pytest.raises(TooLargeError) as caught:
        plan_memory(MEMORY, "- a\n- b\n- c\n", new, ANALYZER)
    assert caught.value.reason == "entries"


@pytest.mark.parametrize("said", [Annotations(), Annotations(key="k3")])
@pytest.mark.parametrize("file", [MEMORY, USER])
def test_of_a_long_file_only_what_is_new_is_read(
    file: str, said: Annotations, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("openclaw_memd.domain.markdown._KEPT_CHARS", 0)
    before = "".join(f"- Fact {number}. <!-- key: k{number} -->\n" for number in range(9))
    known = parse_entries(before)
    read: list[str] = []

    def note(text: str) -> Annotations:
        read.append(text)
        return parse_annotations(text)

    monkeypatch.setattr("openclaw_memd.domain.markdown.parse_annotations", note)
    planned = plan_memory(file, before, Memory("The port is 8123.", said, DAY), ANALYZER, like=known)
    assert {*read} <= {entry.text for entry in planned.entries} - {entry.text for entry in known}
    monkeypatch.undo()
    assert list(planned.entries) == parse_entries(planned.text)


@pytest.mark.parametrize(
    ("one", "other"), [("a < b", "a > b"), ("x -> y", "x <- y"), ("| a |\n|-|\n|-|", "a")]
)
def test_what_differs_in_a_sign_is_another_memory(one: str, other: str) -> None:
    first = plan_memory(MEMORY, "", Memory(one, Annotations(), DAY), ANALYZER)
    second = plan_memory(MEMORY, first.text, Memory(other, Annotations(), DAY), ANALYZER)
    assert (second.is_new, second.superseded) == (True, ())
    assert not plan_memory(MEMORY, second.text, Memory(one, Annotations(), DAY), ANALYZER).is_new
