from collections.abc import Sequence
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.curated.entries import CuratedEntry, CuratedText
from openclaw_memd.domain.audience import Bootstrap
from openclaw_memd.domain.eligibility import Ineligible
from openclaw_memd.domain.markdown import parse_entries
from openclaw_memd.domain.provenance import Origin, Provenance, SessionKind, is_trusted, least_trusted
from openclaw_memd.injection.curated_choice import Limits, choose
from tests.domain.strategies import patient

TODAY = date(2026, 1, 11)
Line = tuple[str, Origin]

texts = st.text(alphabet="ab 记", min_size=1, max_size=30).map(lambda text: f"x{text}".strip())
bullets = st.builds(
    lambda text, importance: f"- {text} <!-- importance: {importance} -->", texts, st.integers(1, 10)
)
headings = st.builds(lambda level, text: f"{'#' * level} {text}", st.integers(1, 3), texts)
trusted_lines = st.tuples(bullets | headings | st.just(""), st.sampled_from([Origin.OWNER, Origin.AGENT]))
outside_lines = st.tuples(bullets | headings, st.sampled_from([Origin.UNTRUSTED, Origin.SYSTEM]))


def curated(lines: Sequence[Line], file: str = "MEMORY.md") -> CuratedText:
    text = "".join(f"{line}\n" for line, _ in lines)
    behind = [Provenance(origin, SessionKind.UNKNOWN) for _, origin in lines]
    entries = tuple(
        CuratedEntry(file, entry, least_trusted(behind[entry.start_line - 1 : entry.end_line]), None)
        for entry in parse_entries(text)
    )
    outside = [number for number, (_, origin) in enumerate(lines, 1) if not is_trusted(origin)]
    return CuratedText(file, text, "", entries, frozenset(outside))


def limits(max_chars: int = 10_000, audience: Bootstrap = Bootstrap.ALL, *projects: str) -> Limits:
    return Limits(max_chars, audience, projects, TODAY)


@given(st.lists(trusted_lines | outside_lines, max_size=20), st.integers(0, 600))
@patient
def test_what_comes_from_outside_is_as_if_it_were_not_there(lines: list[Line], max_chars: int) -> None:
    vouched = [line for line in lines if is_trusted(line[1])]

    found = choose(curated(lines), limits(max_chars))
    expected = choose(curated(vouched), limits(max_chars))

    assert found.choice == expected.choice


def test_what_is_withheld_is_counted_and_what_is_unvouched_named() -> None:
    lines = [
        ("- one", Origin.AGENT),
        ("- two", Origin.UNTRUSTED),
        ("- three <!-- status: superseded -->", Origin.OWNER),
        ("- four <!-- project: ; -->", Origin.OWNER),
        ("- five <!-- project: x.org/a -->", Origin.OWNER),
        ("---", Origin.OWNER),
    ]
    found = choose(curated(lines), limits())

    assert found.choice.text == "- one"
    assert found.withheld == {
        Ineligible.ORIGIN: 1,
        Ineligible.SUPERSEDED: 1,
        Ineligible.INVALID_PROJECT: 1,
        Ineligible.OTHER_PROJECT: 1,
    }
    assert found.unvouched == ("MEMORY.md#L2",)


def test_all_projects_of_an_entry_must_be_active() -> None:
    text = curated([("- both <!-- project: x.org/a; x.org/b -->", Origin.OWNER)])

    assert choose(text, limits(99, Bootstrap.ALL, "x.org/a")).choice.text == ""
    assert choose(text, limits(99, Bootstrap.ALL, "x.org/b", "x.org/a")).choice.text == "- both"


def test_sub_agents_are_given_the_entries_of_projects_alone_and_all_of_the_user_file() -> None:
    lines = [("- everywhere", Origin.OWNER), ("- here <!-- project: x.org/a -->", Origin.OWNER)]
    in_project = limits(99, Bootstrap.PROJECT, "x.org/a")

    assert choose(curated(lines), in_project).choice.text == "- here"
    assert choose(curated(lines, "USER.md"), in_project).choice.text == "- everywhere\n- here"
