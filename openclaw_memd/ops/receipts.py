"""What is told of a call that forgets."""

from dataclasses import dataclass

from openclaw_memd.ops.kept import Kept


@dataclass(frozen=True, slots=True)
class Receipt:
    """How much went, or would go, from each store.

    ``files_changed``, ``files_removed`` and ``lines`` are of the memory files; ``promoted`` entries of the
    curated ones that nights made of what goes have their lines among them. ``sessions`` lost everything that
    was said in them, ``messages`` counts what was kept of all. ``spooled`` texts waited to be written.
    ``preimages`` are earlier versions of curated files that lost lines, or went; ``intents`` are standing
    ones of any state.
    ``proposals`` waited for the owner, ``page_lines`` are of DREAMS.md and the reports of nights,
    ``candidates`` claims that stand nowhere any more, ``signals`` what sessions asked, and ``corpus_lines``
    those below ``memory/.dreams``.
    ``chunks`` are those of the changed files and sessions, which the index makes anew; ``vectors`` those of
    texts that are in no chunk any more, whatever made them so; what would go are at most so many, as chunks
    of a changed file may come out the same. The rest are rows of the ledger; ``leftovers`` files of damaged
    or half-built databases.
    """

    files_changed: int = 0
    files_removed: int = 0
    lines: int = 0
    promoted: int = 0
    sessions: int = 0
    messages: int = 0
    spooled: int = 0
    spans: int = 0
    appends: int = 0
    request_keys: int = 0
    flush_texts: int = 0
    observed_writes: int = 0
    chunks: int = 0
    vectors: int = 0
    leftovers: int = 0
    preimages: int = 0
    intents: int = 0
    proposals: int = 0
    page_lines: int = 0
    candidates: int = 0
    signals: int = 0
    corpus_lines: int = 0


@dataclass(frozen=True, slots=True)
class Forgotten:
    """The receipt, and what stays all the same."""

    dry_run: bool
    receipt: Receipt
    kept: tuple[Kept, ...]
