from openclaw_memd.files.catalog import FileState, ListedFile
from openclaw_memd.files.roots import Roots
from openclaw_memd.files.rules import FileRules
from openclaw_memd.index.corpus import SLICE_CHARS, SLICE_FILES, Corpus
from tests.index.notes import Notes, make_preparer


def prepare_all(corpus: Corpus) -> list[tuple[list[str], list[str], bool]]:
    """What each slice has prepared and has found moved, and whether it is the last; b.md always moves."""

    def accept(file: ListedFile, _: FileState) -> bool:
        return file.path != "memory/b.md"

    waiting = iter(corpus.list().files)
    found: list[tuple[list[str], list[str], bool]] = []
    while not found or not found[-1][2]:
        read = corpus.read_slice(waiting, lambda: None)
        batch = corpus.settle(read, map(make_preparer().prepare, read.drafts), accept)
        prepared = [each.file.path for each in batch.prepared]
        found.append((prepared, [file.path for file in batch.moved], read.last))
    return found


def test_a_file_that_is_not_as_it_was_read_is_told_apart(notes: Notes) -> None:
    for name in "abc":
        notes.write(f"memory/{name}.md", "- one\n")
    with Roots(notes.folder) as roots:
        [batch] = prepare_all(Corpus(roots, FileRules.parse()))
    assert batch == (["memory/a.md", "memory/c.md"], ["memory/b.md"], True)


def test_a_slice_ends_when_it_has_many_files_or_much_text(notes: Notes) -> None:
    for number in range(SLICE_FILES + 1):
        notes.write(f"memory/a{number:04}.md", "- one\n")
    for name in ("c", "d"):
        notes.write(f"memory/{name}.md", "word " * (SLICE_CHARS // 5 + 1))
    with Roots(notes.folder) as roots:
        batches = prepare_all(Corpus(roots, FileRules.parse()))
    assert [len(prepared) for prepared, _, _ in batches] == [SLICE_FILES, 2, 1, 0]
    assert [last for *_, last in batches] == [False, False, False, True]
