"""Reading one transcript onwards: from bytes to messages, and to what is then known of the file."""

import os
import stat
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from openclaw_memd.domain.proofs import Prover
from openclaw_memd.files.beneath import FRESH_NS
from openclaw_memd.files.openat import open_beneath
from openclaw_memd.index.ledger.transcripts import Transcript
from openclaw_memd.sessions.formats.names import TranscriptSkip
from openclaw_memd.sessions.formats.records import Generated, Ignored, Opening, Record, Rules, Said
from openclaw_memd.sessions.lines import LineReader, Slice, pread
from openclaw_memd.sessions.listing import stamp_of
from openclaw_memd.sessions.messages import Message, MessageKind, Role

WHOLE_BYTES: Final = 8 * 1024 * 1024
"""What was read of a file is compared in full up to here: some milliseconds, and most transcripts."""

ReadRecord = Callable[[bytes, int, Rules], Record]

_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY
_GENERATED: Final = {Generated.DREAMING: TranscriptSkip.DREAMING, Generated.CRON: TranscriptSkip.CRON}


@dataclass(frozen=True, slots=True)
class Spoken:
    """Messages of one session, in order; ``agent`` is the sub-agent of the file's session whose they are."""

    agent: str | None
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Batch:
    """What a slice holds, and the file's state when that is taken."""

    spoken: tuple[Spoken, ...]
    after: Transcript


class OpenTranscript:
    """An open file and its status at that moment. Reading ends where the file ended then."""

    def __init__(self, descriptor: int) -> None:
        self.descriptor = descriptor
        status = os.fstat(descriptor)
        self.is_regular = stat.S_ISREG(status.st_mode)
        self.stamp = stamp_of(status)
        # A file that changed so recently may change again without showing it.
        self.is_fresh = time.time_ns() - max(status.st_mtime_ns, status.st_ctime_ns) < FRESH_NS

    def close(self) -> None:
        """Let go of the file."""
        os.close(self.descriptor)


def open_transcript(root: int, path: str) -> OpenTranscript | None:
    """Open ``path`` beneath the folder ``root``; None when it is no regular file any more.

    Raises:
        OSError: it cannot be opened, or a link is on its way.
    """
    opened = OpenTranscript(open_beneath(root, path, _FLAGS))
    if not opened.is_regular:
        opened.close()
        return None
    return opened


def resume(opened: OpenTranscript, before: Transcript, *, doubted: bool) -> Prover | None:
    """The proof of what was read of the file before, if the file still begins with it, else None.

    A file that only grew is compared at its ends, a small or ``doubted`` one in full. To doubt is also a
    file that changed and did not grow, and another file in the same place.
    """
    old, new = before.stamp, opened.stamp
    is_other = (old.device, old.inode) != (new.device, new.inode)
    whole = doubted or is_other or new.size <= old.size or before.proof.offset <= WHOLE_BYTES
    if new.size < before.proof.offset:
        return None
    return Prover.resume(before.proof, pread(opened.descriptor), whole=whole)


class Reading:
    """One file being read: ``now`` is what is known of it up to where the last batch ended."""

    now: Transcript

    def __init__(
        self,
        opened: OpenTranscript,
        prover: Prover,
        now: Transcript,
        *,
        name: str,
        read_record: ReadRecord,
        rules: Rules,
    ) -> None:
        """``name`` is the session when no record names one."""
        self.now = replace(now, stamp=opened.stamp, fresh=opened.is_fresh)
        self._is_fresh = opened.is_fresh
        self._lines = LineReader(opened.descriptor, prover, opened.stamp.size, in_long_line=now.in_long_line)
        self._name = name
        self._read_record = read_record
        self._rules = rules

    def next(self) -> Batch | None:
        """The next batch; None at the end of the file, or when nothing more is to be taken of it.

        Raises:
            OSError: the file cannot be read.
        """
        found = self._lines.next() if self.now.left_out is None else None
        if found is None:
            return None
        batch = self._read(found)
        self.now = batch.after
        return batch

    def finish(self) -> Transcript:
        """What is known of the file when nothing is left to read."""
        return replace(self.now, fresh=self._is_fresh)

    def _read(self, found: Slice) -> Batch:
        session, taken, unattributed, broken = self.now.session, 0, 0, 0
        left_out: TranscriptSkip | None = None
        spoken: dict[str | None, list[Message]] = {}
        for offset, line in found.lines:
            match self._read_record(line, offset, self._rules):
                case Opening(session_id):
                    session = session or session_id
                case Said(messages, session_id, agent):
                    if self.now.messages + taken == 0 and _is_scheduled(messages):
                        left_out = TranscriptSkip.CRON
                        break
                    session = session or session_id or self._name
                    spoken.setdefault(agent, []).extend(messages)
                    taken += len(messages)
                    if agent is None:  # what a sub-agent is told, a model wrote
                        unattributed += sum(map(_is_unattributed, messages))
                case Generated() as reason:
                    left_out = _GENERATED[reason]
                    break
                case Ignored() as reason:
                    broken += reason.is_broken
        after = replace(
            self.now,
            session=session,
            proof=found.proof,
            in_long_line=found.in_long_line,
            # Until all is read, an unchanged stamp must not mean that nothing is left to read.
            fresh=self._is_fresh or not found.is_last,
            left_out=left_out,
            messages=self.now.messages + taken,
            unattributed=self.now.unattributed + unattributed,
            broken=self.now.broken + broken,
            too_long=self.now.too_long + found.too_long,
        )
        if left_out is not None:
            return Batch((), replace(after, messages=0, unattributed=0))
        return Batch(tuple(Spoken(agent, tuple(messages)) for agent, messages in spoken.items()), after)


def _is_scheduled(messages: tuple[Message, ...]) -> bool:
    """Whether a session that begins so is a run of a scheduled job."""
    return any(message.role is Role.USER and message.kind is MessageKind.CRON for message in messages)


def _is_unattributed(message: Message) -> bool:
    """Whether nothing says who wrote it, which anybody may have."""
    return (
        message.role is Role.USER
        and message.kind is MessageKind.NORMAL
        and message.sender is None
        and bool(message.text)
    )
