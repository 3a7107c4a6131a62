import pytest

from openclaw_memd.sessions.formats.names import TranscriptName, TranscriptSkip, judge_name

TIME = "2026-01-11T08-15-30.000Z"
ID = "0a6afc57-2f31-4cb4-8ff0-01247f50c64c"


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        ("s1.jsonl", TranscriptName("s1")),
        ("s1-topic-42.jsonl", TranscriptName("s1-topic-42")),
        ("keep.deleted.keep.jsonl", TranscriptName("keep.deleted.keep")),
        ("会話.jsonl", TranscriptName("会話")),
        (f"s1.jsonl.deleted.{TIME}", TranscriptSkip.DELETED),
        ("s1.jsonl.deleted", TranscriptSkip.DELETED),
        (f"s1.jsonl.deleted.{TIME}.zst", TranscriptSkip.DELETED),
        (f"s1.jsonl.reset.{TIME}", TranscriptSkip.ARCHIVED),
        (f"s1.jsonl.reset.{TIME}.zst", TranscriptSkip.ARCHIVED),
        (f"s1.jsonl.bak.{TIME}", TranscriptSkip.BACKUP),
        ("s1.jsonl.bak", TranscriptSkip.BACKUP),
        ("s1.jsonl.bak-1234-99", TranscriptSkip.BACKUP),
        ("s1.jsonl~", TranscriptSkip.BACKUP),
        ("s1.jsonl.tmp", TranscriptSkip.BACKUP),
        ("s1.jsonl.gz", TranscriptSkip.COMPRESSED),
        ("s1.jsonl.ZST", TranscriptSkip.COMPRESSED),
        (f"s1.checkpoint.{ID}.jsonl", TranscriptSkip.CHECKPOINT),
        ("s1.checkpoint.3.jsonl", TranscriptName("s1.checkpoint.3")),
        ("s1.trajectory.jsonl", TranscriptSkip.TRAJECTORY),
        ("sessions.json", None),
        ("sessions.json.bak.1737420882", None),
        (".jsonl", None),
        ("notes.md", None),
        ("jsonl", None),
        ("", None),
    ],
)
def test_a_name_tells_what_a_file_is(name: str, verdict: object) -> None:
    assert judge_name(name, archives=False) == verdict


@pytest.mark.parametrize(
    ("name", "verdict"),
    [
        (f"s1.jsonl.reset.{TIME}", TranscriptName("s1", is_archive=True)),
        (f"s1.jsonl.reset.{TIME}.zst", TranscriptSkip.COMPRESSED),
        (f"s1.jsonl.deleted.{TIME}", TranscriptSkip.DELETED),
        (f"s1.jsonl.bak.{TIME}", TranscriptSkip.BACKUP),
        ("s1.jsonl", TranscriptName("s1")),
    ],
)
def test_archives_are_read_only_when_asked_for_and_what_was_deleted_never(name: str, verdict: object) -> None:
    assert judge_name(name, archives=True) == verdict


def test_every_reason_is_described() -> None:
    assert all(reason.description.endswith(".") for reason in TranscriptSkip)
