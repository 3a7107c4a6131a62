"""Which files a call means, and which of those are not to be changed."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from openclaw_memd.domain.dates import note_date
from openclaw_memd.domain.dream_pages import PHASES
from openclaw_memd.domain.forgetting import Wanted, cut_text
from openclaw_memd.domain.provenance import Source
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.errors import DeniedError
from openclaw_memd.files.catalog import FileText, ListedFile
from openclaw_memd.files.names import EXTRA, NOTES, WORKSPACE
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.index.ledger.session_rows import SessionKey
from openclaw_memd.notes.observing import check_path
from openclaw_memd.ops.kept import Kept
from openclaw_memd.sessions.paths import PREFIX as SESSIONS
from openclaw_memd.sessions.paths import parse_path

_OWN: Final = (Source.MEMORY, Source.IMPORTS)
_REPORTS: Final = f"{NOTES}/dreaming"
_OUTSIDE: Final = "it lies outside of the memory; memd never changes it"


@dataclass(frozen=True, slots=True)
class Chosen:
    """``exact`` files and files below ``folders`` are meant as a whole, and ``sessions``.

    ``paths`` are the files to look through, ``kept`` those that hold something and are not to be changed.
    """

    exact: frozenset[str] = frozenset()
    folders: tuple[str, ...] = ()
    sessions: frozenset[SessionKey] = frozenset()
    paths: tuple[str, ...] = ()
    kept: tuple[Kept, ...] = ()

    def takes(self, path: str) -> bool:
        """Whether the file is meant as a whole."""
        return path in self.exact or path.startswith(self.folders)


def read_paths(paths: Sequence[str]) -> Chosen:
    """What a caller's paths mean.

    Raises:
        DeniedError: one is no path of a memory file, of a session or of a folder of notes.
    """
    exact, folders, sessions, kept = set(), [], set(), []
    for path in paths:
        if path.startswith(EXTRA):
            kept.append(Kept(path, _OUTSIDE))
        elif path.startswith(SESSIONS):
            name = parse_path(path)
            if name is None:
                raise DeniedError("not a session", reason="not_memory", field="paths")
            sessions.add(name.key)
        elif path.endswith("/"):
            _check(f"{path}note.md")
            folders.append(path)
        else:
            _check(path)
            exact.add(path)
    return Chosen(frozenset(exact), tuple(folders), frozenset(sessions), kept=tuple(kept))


def choose_files(
    chosen: Chosen, corpus: Corpus, wanted: Wanted, analyzer: Analyzer, *, recorded: Collection[str]
) -> Chosen:
    """``chosen`` with the files to look through, as the workspace is now. Blocking.

    ``recorded`` are those with lines that are known to be meant. With a query every file is looked through.
    """
    listing = corpus.list_files()
    own = [file for file in listing.files if _is_own(file)]
    paths = {path for path in recorded if not path.startswith((EXTRA, SESSIONS))} | chosen.exact
    paths.update(file.path for file in own if chosen.takes(file.path))
    kept = list(chosen.kept)
    if wanted.terms:
        paths.update(file.path for file in own)
        paths.update(_reports(corpus.roots.place(WORKSPACE)))
        others = [file for file in listing.files if not _is_own(file)]
        kept += [Kept(file.path, _OUTSIDE) for file in others if _holds(corpus, file, wanted, analyzer)]
        kept += [Kept(skip.path, "it cannot be seen now") for skip in listing.skipped if skip.hides]
    return replace(chosen, paths=tuple(sorted(paths)), kept=tuple(kept))


def _check(path: str) -> None:
    try:
        check_path(path)
    except DeniedError as error:
        raise DeniedError(error.message, reason=error.reason, field="paths") from None


def _is_own(file: ListedFile) -> bool:
    return file.root == WORKSPACE and file.source in _OWN


def _holds(corpus: Corpus, file: ListedFile, wanted: Wanted, analyzer: Analyzer) -> bool:
    read = corpus.read(file)
    return isinstance(read, FileText) and bool(
        cut_text(read.text, (), wanted, analyzer, note_date(file.path)).removed
    )


def _reports(workspace: Path) -> Iterator[str]:
    """What lies beside the reports of dreams, which no index lists; pages of dreams are cut by themselves."""
    for path in (workspace / _REPORTS).rglob("*.md"):
        relative = path.relative_to(workspace / _REPORTS)
        if len(relative.parts) != 2 or relative.parts[0] not in PHASES:
            yield path.relative_to(workspace).as_posix()
