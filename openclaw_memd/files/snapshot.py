"""What changed between the states that are known and a fresh listing."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from openclaw_memd.files.catalog import FileState, FileText, ListedFile, Listing, Skipped, SkipReason


@dataclass(frozen=True, slots=True)
class Diff:
    """The outcome of `diff`; every tuple is in path order.

    ``changed`` have another content than is known. ``refreshed`` have the same content under a new state,
    which is to be stored. ``unchanged`` counts files with known content, the refreshed among them. ``kept``
    are known files that cannot be seen now but may well be there: their rows stay. ``skipped`` are the
    listing's and those that could not be compared.
    """

    added: tuple[ListedFile, ...]
    changed: tuple[ListedFile, ...]
    removed: tuple[str, ...]
    refreshed: tuple[tuple[str, FileState], ...]
    unchanged: int
    kept: tuple[str, ...]
    skipped: tuple[Skipped, ...]


def diff(
    known: Mapping[str, FileState],
    listing: Listing,
    read: Callable[[ListedFile], FileText | Skipped],
    *,
    verify: bool = False,
) -> Diff:
    """Compare ``listing`` with the ``known`` states by path.

    A file is read only when its stamp alone cannot tell: the stamp differs but not the size, or the known
    state is fresh. With ``verify`` every known file is read. Pure but for ``read``.
    """
    added: list[ListedFile] = []
    changed: list[ListedFile] = []
    refreshed: list[tuple[str, FileState]] = []
    skipped = list(listing.skipped)
    unchanged = 0
    for file in listing.files:
        before = known.get(file.path)
        if before is None:
            added.append(file)
        elif file.stamp == before.stamp and not before.fresh and not verify:
            unchanged += 1
        elif file.stamp is not None and file.stamp.size != before.size:
            changed.append(file)
        else:
            match read(file):
                case Skipped() as skip:
                    skipped.append(skip)
                case FileText(state=state) if state.hash != before.hash:
                    changed.append(file)
                case FileText(state=state):
                    unchanged += 1
                    if state != before:
                        refreshed.append((file.path, state))
    gone = known.keys() - {file.path for file in listing.files}
    gone |= {skip.path for skip in skipped if skip.path in known}
    kept = {path for path in gone if path.startswith(listing.unreadable)}
    kept |= {skip.path for skip in skipped if skip.path in gone and SkipReason(skip.reason).is_transient}
    return Diff(
        added=tuple(added),
        changed=tuple(changed),
        removed=tuple(sorted(gone - kept)),
        refreshed=tuple(refreshed),
        unchanged=unchanged,
        kept=tuple(sorted(kept)),
        skipped=tuple(skipped),
    )
