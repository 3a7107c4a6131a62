"""From what a caller sends to texts that can be written, each of one origin. No I/O."""

from collections.abc import Sequence
from dataclasses import dataclass

from openclaw_memd.domain.laundering import cut_lines, find_vouched
from openclaw_memd.domain.note_entries import (
    NoteEntry,
    blank_controls,
    format_entry,
    is_blank,
    silence_annotations,
    tidy_text,
)
from openclaw_memd.domain.provenance import Origin, Provenance, is_trusted, join
from openclaw_memd.domain.text import Analyzer
from openclaw_memd.errors import InvalidParamsError, TooLargeError


@dataclass(frozen=True, slots=True)
class Draft:
    """A text for one file, without a last line end.

    ``lines`` tell the provenance of each line where they differ; none: all are as their author is.
    """

    origin: Origin
    text: str
    lines: tuple[tuple[str, Provenance], ...] = ()


def draft_lines(lines: Sequence[tuple[str, Provenance]]) -> Draft:
    """The draft of ``lines`` that were said by several; the least trusted stands for the whole."""
    plain = tuple((blank_controls(line.replace("\n", " ")), provenance) for line, provenance in lines)
    origin = join(*(provenance.origin for _, provenance in plain))
    return Draft(origin, "\n".join(line for line, _ in plain).rstrip(), plain)


@dataclass(frozen=True, slots=True)
class Content:
    """What a caller wants to have noted: a Markdown text, or entries. ``project`` is the caller's own."""

    text: str | None
    entries: tuple[NoteEntry, ...]
    project: str | None

    @property
    def whole(self) -> str:
        """All of it, tidied."""
        return "\n".join(self._bullets()) if self.text is None else self.text

    def draft(self, origin: Origin) -> Draft:
        """All of it as text of one origin."""
        return Draft(origin, self.whole if is_trusted(origin) else self._silenced(self.whole))

    def part(self, origin: Origin, outside: Sequence[bool]) -> list[Draft]:
        """The ``pieces`` that are not ``outside`` as text of ``origin``, after it the others as untrusted."""
        full = self._bullets() if self.text is None else self.pieces
        own = "\n".join(piece for piece, is_outside in zip(full, outside, strict=True) if not is_outside)
        other = "\n".join(piece for piece, is_outside in zip(full, outside, strict=True) if is_outside)
        texts = ((origin, own), (Origin.UNTRUSTED, self._silenced(other)))
        return [Draft(drafted, tidy_text(text)) for drafted, text in texts if not is_blank(text)]

    @property
    def pieces(self) -> list[str]:
        """The texts of the entries, or the lines of the text; a fenced block is one piece."""
        return [entry.text for entry in self.entries] if self.text is None else cut_lines(self.text)

    def launder(self, origin: Origin, clean_texts: Sequence[str], analyzer: Analyzer) -> list[Draft]:
        """What ``clean_texts`` vouch for as text of ``origin``, and after it all else as untrusted.

        Nobody vouches for what a text says of itself, so trusted ones have no annotations.
        """
        said = bare = full = self.pieces
        if self.text is None:
            bare = self._bullets(bare=True)
            full = self._bullets()
        vouched = find_vouched(said, clean_texts, analyzer)
        trusted = "\n".join(piece for piece, is_clean in zip(bare, vouched, strict=True) if is_clean)
        outside = "\n".join(piece for piece, is_clean in zip(full, vouched, strict=True) if not is_clean)
        texts = ((origin, self._silenced(trusted)), (Origin.UNTRUSTED, self._silenced(outside)))
        return [Draft(drafted, tidy_text(text)) for drafted, text in texts if not is_blank(text)]

    def _silenced(self, text: str) -> str:
        """``text`` without annotations; those of entries come from fields, and the origin decides on them."""
        return text if self.text is None else silence_annotations(text)

    def _bullets(self, *, bare: bool = False) -> list[str]:
        return [
            format_entry(
                NoteEntry(entry.text) if bare else entry, f"entries[{index}]", default_project=self.project
            )
            for index, entry in enumerate(self.entries)
        ]


def read_content(
    text: str | None, entries: Sequence[NoteEntry] | None, *, project: str | None, limit_bytes: int
) -> Content:
    """What a caller sent, checked and tidied.

    Raises:
        InvalidParamsError: neither or both are given, or a part cannot be written; ``field`` names it.
        TooLargeError: it is longer than ``limit_bytes`` (``reason`` is ``note_bytes``).
    """
    if (text is None) == (entries is None):
        raise InvalidParamsError("give either text or entries", field="text", reason="missing")
    if entries is not None and not entries:
        raise InvalidParamsError("entries is empty", field="entries", reason="value")
    size = len((text or "").encode("utf-8", "replace")) + sum(map(_size, entries or ()))
    if size > limit_bytes:
        raise TooLargeError("the note is too long", reason="note_bytes", field="text" if text else "entries")
    if text is not None:
        return Content(tidy_text(text), (), project)
    content = Content(None, tuple(entries or ()), project)
    assert content.whole, "an entry that can be written is not blank"
    return content


def _size(entry: NoteEntry) -> int:
    parts = (entry.text, *entry.triggers, entry.supersedes_key or "", entry.project or "")
    return sum(len(part.encode("utf-8", "replace")) for part in parts)
