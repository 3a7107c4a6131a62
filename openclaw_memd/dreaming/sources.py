"""The texts that claims come from: notes of days, and what was said. Everything here blocks: use a thread."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Self

from openclaw_memd.domain.claims import claim_key, claim_text
from openclaw_memd.domain.daily_claims import Claim, read_claims
from openclaw_memd.domain.provenance import Provenance, Source, Tier, is_trusted, least_trusted
from openclaw_memd.domain.secrets import mask_secrets
from openclaw_memd.domain.session_claims import read_said
from openclaw_memd.domain.short_term import (
    SESSIONS,
    is_session_path,
    may_be_candidate,
    note_day,
    short_term_note,
)
from openclaw_memd.files.catalog import FileText, ListedFile
from openclaw_memd.index.corpus import Corpus
from openclaw_memd.index.documents import Documents, DocumentText
from openclaw_memd.index.ledger.signal_rows import SourceRow
from openclaw_memd.index.origins import Attribution


@dataclass(frozen=True, slots=True)
class Found:
    """A claim where it stands: by what it is known, what is kept of it, who is behind it.

    ``body`` is its own part of the text, without what stands above it. ``is_answer`` tells that the agent
    said it.
    """

    key: str
    text: str
    body: str
    provenance: Provenance
    source: SourceRow
    is_answer: bool = False

    def holds(self, start_line: int, end_line: int | None = None) -> bool:
        """Whether any of these lines is part of it."""
        last = start_line if end_line is None else end_line
        return self.source.start_line <= last and start_line <= self.source.end_line


@dataclass(frozen=True, slots=True)
class ReadSource:
    """A note, or a part of a session, as it was read; ``parsed`` are the claims of a note."""

    file: ListedFile
    lines: Sequence[str]
    attribution: Attribution
    document: DocumentText | None
    parsed: Sequence[Claim] = ()

    @property
    def is_session(self) -> bool:
        """Whether it is a part of a session."""
        return self.file.source is Source.SESSIONS

    def day_of(self, line: int) -> date | None:
        """The day that a line is from."""
        if self.document is not None:
            return self.document.day_of_lines(line, line)
        return note_day(self.file.path)

    def claims(self) -> list[Found]:
        """What is claimed in it, in order, but for what holds a secret or nobody may make a memory of."""
        return self.claims_in(1, len(self.lines))

    def claims_in(self, start_line: int, end_line: int) -> list[Found]:
        """The same of what any of these lines is part of."""
        if self.is_session:
            return self.said(start_line, end_line)
        parsed = (one for one in self.parsed if one.start_line <= end_line and start_line <= one.end_line)
        return [found for claim in parsed if (found := self._note_claim(claim)) is not None]

    def said(self, start_line: int, end_line: int) -> list[Found]:
        """What is claimed in these lines of a session."""
        found: list[Found] = []
        for number in range(max(1, start_line), min(end_line, len(self.lines)) + 1):
            provenance = self.attribution.of_lines(number, number)
            if not may_be_candidate(provenance, is_session=True):
                continue
            source = SourceRow(self.file.path, number, number, is_session=True, noted_on=self.day_of(number))
            for said in read_said(self.lines[number - 1]):
                found.append(_found(said.text, said.text, provenance, source, is_answer=said.is_answer))
        return found

    def _note_claim(self, claim: Claim) -> Found | None:
        if mask_secrets(claim.text) != claim.text:
            return None
        provenance = self.attribution.of_lines(claim.start_line, claim.end_line)
        if not may_be_candidate(provenance, is_session=False):
            return None
        text, above = claim.text, [self.attribution.of_lines(line, line) for line in claim.context]
        if is_trusted(provenance.origin) and not all(is_trusted(one.origin) for one in above):
            text = claim.body  # what stands above it is from outside, and says nothing of it
        elif above:
            provenance = replace(provenance, origin=least_trusted([provenance, *above]).origin)
        source = SourceRow(
            self.file.path,
            claim.start_line,
            claim.end_line,
            is_session=False,
            noted_on=claim.annotations.observed or note_day(self.file.path),
            supersedes_key=claim.annotations.key,
            projects=claim.annotations.projects,
        )
        return _found(text, claim.body, provenance, source)


@dataclass(frozen=True, slots=True)
class Sources:
    """The notes and sessions of one workspace; ``corpus`` has ended sessions too."""

    corpus: Corpus

    @classmethod
    def build(cls, corpus: Corpus, sessions: Documents) -> Self:
        """Those of ``corpus``, where ``sessions`` are all that were ever held and not forgotten."""
        return cls(replace(corpus, documents=sessions))

    def find(self, path: str) -> ReadSource | None:
        """The source at ``path`` as it is now; None when it is none, gone, or cannot be read."""
        if is_session_path(path):
            return self.read(_session_file(path))
        if short_term_note(path) is None:
            return None
        file = next((file for file in self.corpus.look_up(path).files if file.path == path), None)
        return None if file is None else self.read(file)

    def read(self, file: ListedFile) -> ReadSource | None:
        """A listed file as it is now; None when it is no source, gone, or cannot be read."""
        if not is_source(file):
            return None
        text = self.corpus.read(file)
        if not isinstance(text, FileText):
            return None
        attribution = self.corpus.peek(file, text)
        return ReadSource(
            file,
            text.text.split("\n"),
            attribution,
            text if isinstance(text, DocumentText) else None,
            ()
            if file.source is Source.SESSIONS
            else read_claims(text.text, lambda line: is_trusted(attribution.of_lines(line, line).origin)),
        )

    def list_notes(self, since: date, until: date = date.max) -> list[ListedFile]:
        """Notes of days from ``since`` to ``until`` that lie directly in ``memory``.

        The newest come first, and of a day its own note before those with more in their name.
        """
        dated = [
            (day, file)
            for file in self.corpus.list_files().files
            if is_source(file)
            and file.path.count("/") == 1
            and (day := note_day(file.path)) is not None
            and since <= day <= until
        ]
        dated.sort(key=lambda one: (one[1].path != f"memory/{one[0].isoformat()}.md", one[1].path))
        dated.sort(key=lambda one: one[0], reverse=True)
        return [file for _, file in dated]

    def notes_of(self, days: Collection[date]) -> list[tuple[date, ListedFile]]:
        """The notes of these days anywhere in ``memory``, in the order of their paths."""
        if not days:
            return []
        dated = ((note_day(file.path), file) for file in self.corpus.list_files().files if is_source(file))
        found = [(day, file) for day, file in dated if day is not None and day in days]
        return sorted(found, key=lambda one: one[1].path)

    def list_sessions(self) -> list[ListedFile]:
        """Every part of every session that is kept, in the order of the paths."""
        return list(self.corpus.documents.list())

    def gone(self, paths: Iterable[str]) -> frozenset[str]:
        """Those of ``paths`` that are there no more; what cannot be seen now is not gone."""
        return frozenset(path for path in paths if self._is_gone(path))

    def _is_gone(self, path: str) -> bool:
        if is_session_path(path):
            return self.corpus.documents.stamp(_session_file(path)) is None
        listing = self.corpus.look_up(path)
        return not any(file.path == path for file in listing.files) and not any(
            skip.hides for skip in listing.skipped
        )


def is_source(file: ListedFile) -> bool:
    """Whether claims of this file may become candidates: notes of days, and sessions."""
    if file.source is Source.SESSIONS:
        return True
    is_note = file.source is Source.MEMORY and file.tier is Tier.EPISODIC
    return is_note and short_term_note(file.path) == file.path


def _session_file(path: str) -> ListedFile:
    """What stands for a part of a session, be it there or not."""
    return ListedFile(
        path, Source.SESSIONS, Tier.SESSION, SESSIONS, path.removeprefix(SESSIONS), evergreen=False
    )


def _found(
    text: str, body: str, provenance: Provenance, source: SourceRow, *, is_answer: bool = False
) -> Found:
    key = claim_key(text, provenance.origin)
    return Found(key, claim_text(text), body, provenance, source, is_answer)
