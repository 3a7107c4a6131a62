from itertools import islice
from pathlib import Path

import pytest

from benchmarks import corpus
from benchmarks.material import Material, generate_material, read_material
from openclaw_memd.domain.chunks import chunk_text
from openclaw_memd.domain.dates import note_date


@pytest.fixture(scope="module")
def material() -> Material:
    return generate_material()


def test_the_same_seed_gives_the_same_notes(material: Material) -> None:
    again = generate_material()

    assert again == material
    assert list(islice(corpus.files_of(material), 50)) == list(islice(corpus.files_of(again), 50))


def test_a_corpus_has_about_as_many_chunks_as_were_asked_for(material: Material) -> None:
    files = list(corpus.sized(material, 2_000))

    chunks = sum(len(chunk_text(text, per_entry="/" not in path)) for path, text in files)
    assert chunks == pytest.approx(2_000, rel=0.05)


def test_notes_have_paths_of_every_kind_and_none_twice(material: Material) -> None:
    paths = [path for path, _ in islice(corpus.files_of(material), 3_000)]

    assert len(set(paths)) == len(paths)
    assert paths[0] == "MEMORY.md"
    notes = paths[1:]
    assert all(path.startswith("memory/") for path in notes)
    assert any(note_date(path) is None for path in notes)
    assert any(path.count("/") > 1 and note_date(path) for path in notes)


def test_notes_hold_spaced_and_unspaced_words(material: Material) -> None:
    text = "".join(text for _, text in islice(corpus.files_of(material), 50))

    assert any("\u4e00" <= character <= "\u9fff" for character in text)
    assert " " in text


def test_a_corpus_is_written_as_a_workspace(material: Material, tmp_path: Path) -> None:
    files = list(islice(corpus.files_of(material), 20))

    assert corpus.write(iter(files), tmp_path) == 20
    assert all((tmp_path / path).read_text(encoding="utf-8") == text for path, text in files)


def test_conversations_give_a_line_for_each_turn_and_their_questions() -> None:
    sample = {
        "conversation": {
            "speaker_a": "Ana",
            "session_1_date_time": "noon",
            "session_1": [
                {"speaker": "Ana", "dia_id": "D1:1", "text": "I moved\n to Lyon."},
                {"speaker": "Ben", "dia_id": "D1:2", "text": "Nice!"},
            ],
        },
        "qa": [{"question": "Where does Ana live?", "answer": "Lyon", "evidence": ["D1:1"], "category": 4}],
    }

    assert read_material([sample]) == Material(
        lines=("- Ana: I moved to Lyon.", "- Ben: Nice!"), questions=("Where does Ana live?",)
    )
