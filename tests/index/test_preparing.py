import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.provenance import HANDWRITTEN, Source, Tier
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.files.catalog import FileState, FileText, ListedFile
from openclaw_memd.index.origins import BY_PLACE, Attribution
from openclaw_memd.index.preparing import Draft, PreparedFile
from openclaw_memd.index.rows import embedding_text
from tests.domain.samples import mixed_text
from tests.index.notes import make_preparer

STATE = FileState(1, 2, 3, 4, b"h")


def listed(path: str, source: Source = Source.MEMORY, *, evergreen: bool = False) -> ListedFile:
    curated = path in ("MEMORY.md", "USER.md")
    tier = {Source.IMPORTS: Tier.IMPORT, Source.EXTRA: Tier.EXTRA}.get(
        source, Tier.CURATED if curated else Tier.EPISODIC
    )
    return ListedFile(path, source, tier, "workspace", path, evergreen)


def prepare(path: str, text: str, source: Source = Source.MEMORY, *, evergreen: bool = False) -> PreparedFile:
    file = listed(path, source, evergreen=evergreen)
    attribution = BY_PLACE.peek(file, ())
    return make_preparer().prepare(Draft(file, FileText(text, STATE), attribution))


def test_terms_keep_the_lines_of_the_text() -> None:
    [chunk] = prepare("memory/a.md", "First line\n\n仓库 CHG-48213\n").chunks
    lines = chunk.terms.split("\n")

    assert len(lines) == len(chunk.text.split("\n"))
    assert "first" in lines[0].split()
    assert lines[1] == ""
    assert {"仓库", "chg-48213"} <= set(lines[2].split())


def test_a_curated_file_gives_a_chunk_for_each_entry_with_its_own_annotations() -> None:
    text = (
        "- Ship with the blue script. <!-- trigger: release --> <!-- project: example.org/a -->\n"
        "- The safe code is with Ana. <!-- importance: 9 --> <!-- project: example.org/b -->\n"
    )
    first, second = prepare("MEMORY.md", text).chunks

    assert (first.trust, first.triggers, first.projects) == ("curated", '["release"]', '["example.org/a"]')
    assert (second.triggers, second.importance) == ("[]", 9)
    assert json.loads(second.projects) == ["example.org/b"]


def test_annotations_are_no_text_but_their_triggers_are_context() -> None:
    [chunk] = prepare(
        "MEMORY.md", "- Use port 18789. <!-- trigger: gateway --> <!-- importance: 9 -->\n"
    ).chunks

    assert "importance" not in chunk.terms.split()
    assert "gateway" not in chunk.terms.split()
    assert "gateway" in chunk.context.split()
    assert embedding_text(chunk.heading, chunk.text).endswith("- Use port 18789.")


def test_headings_and_the_path_are_context() -> None:
    text = "# House\n\n## Kitchen\n\n" + "word " * 2000
    chunk = prepare("memory/garden-plan.md", text).chunks[-1]

    assert chunk.heading == "House > Kitchen"
    words = set(chunk.context.split())
    assert {"kitchen", "house", "garden", "plan", "memory/garden-plan.md"} <= words


def test_the_folders_that_memd_gave_are_no_words_of_every_note() -> None:
    def words(path: str) -> set[str]:
        return set(prepare(path, "- tea").chunks[0].context.split())

    assert "memory" not in words("memory/tea.md")
    assert "imports" not in words("memory/imports/codex/tea.md")
    assert "memory" in words("memory/memory-budget.md")
    assert "memory/my" not in words("memory/my tea.md")


@pytest.mark.parametrize("path", ["memory/2026-05-08.md", "extra/docs/README.md", "memory/Tea/Ärger-Über.md"])
def test_a_path_is_found_by_the_form_that_a_query_has(path: str) -> None:
    form = Analyzer().query_terms(path)[0].forms[0]

    assert form in prepare(path, "- tea").chunks[0].context.split()


@given(st.lists(st.one_of(mixed_text, st.text("ab ", min_size=900, max_size=2_500)), max_size=12))
def test_chunks_say_which_of_their_lines_are_parts(lines: list[str]) -> None:
    text = "\n".join(lines)
    whole = text.split("\n")
    for chunk in prepare("memory/a.md", text).chunks:
        own = chunk.text.split("\n")
        first, last = whole[chunk.start_line - 1], whole[chunk.end_line - 1]
        if not chunk.cut_start:
            assert first.startswith(own[0])
        if not chunk.cut_end:
            assert last.endswith(own[-1])
        assert chunk.cut_start or chunk.cut_end or (first, last) == (own[0], own[-1])


def test_only_lines_that_are_cut_are_said_to_be() -> None:
    whole = prepare("memory/a.md", "\n".join(f"- note {number} of tea" for number in range(300))).chunks
    parts = prepare("memory/a.md", "tea " * 2_000).chunks

    assert len(whole) > 2
    assert not any(chunk.cut_start or chunk.cut_end for chunk in whole)
    assert len(parts) > 2
    assert [chunk.cut_start for chunk in parts] == [False] + [True] * (len(parts) - 1)
    assert all(chunk.cut_end for chunk in parts[:-1])


@pytest.mark.parametrize(
    ("path", "observed_on", "dated"),
    [
        ("memory/2026-01-11.md", "2026-01-11", True),
        ("memory/2026-01-11-standup.md", "2026-01-11", True),
        ("memory/archive/2026-01-11.md", "2026-01-11", True),
        ("memory/2026-02-31.md", None, False),
        ("MEMORY.md", None, False),
    ],
)
def test_the_day_comes_from_the_name(path: str, observed_on: str | None, dated: bool) -> None:
    [chunk] = prepare(path, "- the same sentence\n").chunks
    assert (chunk.observed_on, chunk.dated) == (observed_on, dated)


def test_an_observed_date_wins_and_evergreen_files_do_not_age() -> None:
    text = "- likes tea <!-- observed: 2025-05-01 -->\n"
    [chunk] = prepare("memory/2026-01-11.md", text).chunks
    [green] = prepare("memory/2026-01-11.md", text, evergreen=True).chunks

    assert (chunk.observed_on, chunk.dated) == ("2025-05-01", True)
    assert (green.observed_on, green.dated) == ("2025-05-01", False)


@pytest.mark.parametrize(
    ("source", "path"), [(Source.IMPORTS, "memory/imports/a.md"), (Source.EXTRA, "extra/l/a.md")]
)
def test_what_was_brought_in_is_untrusted(source: Source, path: str) -> None:
    [chunk] = prepare(path, "text\n", source).chunks
    assert (chunk.trust, chunk.origin, chunk.session_kind) == ("untrusted", "untrusted", "unknown")


def test_the_same_text_has_the_same_hash_wherever_it_is() -> None:
    [one] = prepare("memory/a.md", "same text\n").chunks
    [other] = prepare("memory/b.md", "same text\n").chunks
    assert one.text_hash == other.text_hash == hashlib.sha256(embedding_text("", one.text).encode()).digest()


def test_chunks_are_exact_slices_of_one_long_line() -> None:
    text = '{"a":' + '"x",' * 1_500 + '"route":"blue-heron-17"}'
    chunks = prepare("memory/a.md", text).chunks

    assert len(chunks) > 1
    assert all(chunk.text in text and "\n" not in chunk.text for chunk in chunks)
    assert any("blue-heron-17" in chunk.terms.split() for chunk in chunks)


def test_a_blank_file_has_no_chunks() -> None:
    assert prepare("memory/a.md", " \n\n").chunks == ()


def test_what_a_pause_raises_ends_the_work() -> None:
    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        make_preparer().prepare(
            Draft(listed("memory/a.md"), FileText("text\n", STATE), Attribution(((1, HANDWRITTEN),))),
            pause=stop,
        )
