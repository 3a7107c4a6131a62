"""The one walk that decides which files are memories; every entry point uses it."""

import errno
import os
import posixpath
from collections.abc import Container, Sequence

from openclaw_memd.files.areas import Area, ExtraArea, Take, WorkspaceArea, prune_reason
from openclaw_memd.files.beneath import read_bytes
from openclaw_memd.files.catalog import ListedFile, ListedFolder, Listing, SkipReason
from openclaw_memd.files.findings import Findings
from openclaw_memd.files.folder import Entry, EntryKind, read_entries
from openclaw_memd.files.ignore import IGNORE_BYTES, IGNORE_NAME, IgnoreStack, has_bad_line
from openclaw_memd.files.names import CURATED, INSTRUCTIONS, MACHINE_FOLDERS, REVIEW, WORKSPACE
from openclaw_memd.files.openat import open_beneath
from openclaw_memd.files.roots import Roots
from openclaw_memd.files.rules import FileRules

_REFUSED_KINDS = {
    EntryKind.LINK: SkipReason.SYMLINK,
    EntryKind.OTHER: SkipReason.NOT_REGULAR,
    EntryKind.UNREADABLE: SkipReason.UNREADABLE,
}
_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)  # a folder was removed or became a link meanwhile


def list_files(roots: Roots, rules: FileRules) -> Listing:
    """Look at all roots, opened again by path if need be. Never raises for what it finds there.

    The order is fixed by names, so the same tree gives the same listing. Blocking: call it in a thread.
    """
    roots.refresh()
    findings = Findings(max_files=rules.files, max_bytes=rules.file_bytes)
    areas: list[Area] = [
        WorkspaceArea(rules.include),
        *(ExtraArea(extra, roots.sole_file(extra.key)) for extra in roots.extra),
    ]
    for area in areas:
        if findings.is_full:
            break
        _walk(area, roots, rules, findings)
    return findings.listing()


def look_up(roots: Roots, rules: FileRules, path: str) -> Listing:
    """What `list_files` says of ``path`` in the workspace and of the folders above it, and nothing else.

    It reads those folders alone, so it takes as long as they are large, unless something is left out there.
    Only the number of files is not judged. Blocking, and never raises, as `list_files`.
    """
    roots.refresh()
    findings = Findings(max_files=rules.files, max_bytes=rules.file_bytes)
    _walk(WorkspaceArea(rules.include), roots, rules, findings, only=path.split("/"))
    listing = findings.listing()
    if listing.skipped or any(_has_other_names(roots, file) for file in listing.files):
        return list_files(roots, rules)  # of a file with several names the first counts
    return listing


def look_at_curated(roots: Roots, rules: FileRules) -> Listing:
    """What `list_files` says of the curated files alone. It reads the workspace's own folder, no other.

    Blocking, and never raises, as `list_files`.
    """
    roots.refresh()
    findings = Findings(max_files=rules.files, max_bytes=rules.file_bytes)
    for name in CURATED:
        _walk(WorkspaceArea(rules.include), roots, rules, findings, only=[name])
    return findings.listing()


def _walk(
    area: Area, roots: Roots, rules: FileRules, findings: Findings, only: Sequence[str] | None = None
) -> None:
    try:
        with roots.anchored(area.key) as root:
            if area.key == WORKSPACE:
                _reserve(root, findings)
            _Walk(area, root, rules, findings, only).run()
    except OSError as error:
        _lose_root(area, error, findings)


def _has_other_names(roots: Roots, file: ListedFile) -> bool:
    """Whether the file is to be found under more than one name."""
    try:
        with roots.anchored(file.root) as root:
            descriptor = open_beneath(root, file.relative, os.O_RDONLY | os.O_NONBLOCK)
            try:
                return os.fstat(descriptor).st_nlink > 1
            finally:
                os.close(descriptor)
    except OSError:
        return False


def _reserve(root: int, findings: Findings) -> None:
    """Note what the workspace keeps apart, so that no extra root brings it in under another name."""
    reserved = dict.fromkeys(sorted(MACHINE_FOLDERS), SkipReason.MACHINE_FOLDER)
    reserved |= dict.fromkeys(sorted(INSTRUCTIONS), SkipReason.INSTRUCTIONS)
    reserved[REVIEW] = SkipReason.REVIEW
    for path, reason in reserved.items():
        try:
            descriptor = open_beneath(root, path, os.O_RDONLY | os.O_NONBLOCK)
        except OSError:
            continue
        status = os.fstat(descriptor)
        os.close(descriptor)
        findings.reserve((status.st_dev, status.st_ino), reason)


def _lose_root(area: Area, error: OSError, findings: Findings) -> None:
    """Report a root that cannot be opened.

    A lost workspace and an unreadable root keep their rows; an extra root that is not there is an empty one.
    """
    match error.errno:
        case errno.ENOENT:
            reason = SkipReason.MISSING
        case errno.ENOTDIR | errno.ELOOP:
            reason = SkipReason.NOT_A_FOLDER
        case _:
            reason = SkipReason.UNREADABLE
    if reason is SkipReason.UNREADABLE or area.key == WORKSPACE:
        findings.cannot_see(area.virtual(""), reason, shown=area.key)
    else:
        findings.skip(area.key, reason)


class _Walk:
    """The walk of one root: depth first, by a list of its own, so that no tree is too deep.

    With ``only``, the parts of a path, nothing beside that path is looked at.
    """

    def __init__(
        self, area: Area, root: int, rules: FileRules, findings: Findings, only: Sequence[str] | None
    ) -> None:
        self._area = area
        self._root = root
        self._rules = rules
        self._findings = findings
        self._only = only

    def run(self) -> None:
        pending = [("", IgnoreStack())]
        while pending and not self._findings.is_full:
            folder, ignored = pending.pop()
            pending.extend(reversed(self._read_folder(folder, ignored)))

    def _read_folder(self, folder: str, ignored: IgnoreStack) -> list[tuple[str, IgnoreStack]]:
        """Read one folder; the folders in it that come next, each with what is ignored there."""
        shown = self._area.virtual(f"{folder}/" if folder else "")
        named = shown or WORKSPACE
        try:
            descriptor = open_beneath(self._root, folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                status = os.fstat(descriptor)
                entries = read_entries(descriptor, self._names(folder))
            finally:
                os.close(descriptor)
        except OSError as error:
            if error.errno not in _GONE:
                self._findings.cannot_see(shown, SkipReason.UNREADABLE, shown=named)
            return []
        identity = (status.st_dev, status.st_ino)
        self._findings.visit(ListedFolder(shown, self._area.key, folder, identity))
        below = self._read_ignored(folder, ignored, entries)
        if below is None:
            self._findings.cannot_see(shown, SkipReason.IGNORE_UNREADABLE, shown=named)
            return []
        deeper = []
        for entry in entries:
            if entry.name == IGNORE_NAME and self._only is not None:
                continue
            relative = posixpath.join(folder, entry.name)
            if self._enter_or_take(relative, entry, below):
                deeper.append((relative, below))
            if self._findings.is_full:
                break
        return deeper

    def _names(self, folder: str) -> Container[str] | None:
        """The names that count in ``folder``; None for all."""
        if self._only is None:
            return None
        depth = folder.count("/") + 1 if folder else 0
        return {IGNORE_NAME, *self._only[depth : depth + 1]}

    def _read_ignored(self, folder: str, ignored: IgnoreStack, entries: list[Entry]) -> IgnoreStack | None:
        """What is ignored in ``folder``; None when that cannot be known, which must not mean "nothing"."""
        if all(entry.name != IGNORE_NAME for entry in entries):
            return ignored
        path = posixpath.join(folder, IGNORE_NAME)
        match read_bytes(self._root, path, IGNORE_BYTES):
            case SkipReason.VANISHED:
                return ignored
            case SkipReason():
                return None
            case (data, _):
                try:
                    text = data.decode("utf-8-sig")
                except UnicodeDecodeError:
                    return None
        if has_bad_line(text):
            self._findings.skip(self._area.virtual(path), SkipReason.IGNORE_PATTERN)
        return ignored.deeper(folder, text)

    def _enter_or_take(self, relative: str, entry: Entry, ignored: IgnoreStack) -> bool:
        """Take a file that is a memory, say why a thing is left out; True for a folder to be read."""
        may_enter = entry.kind is not EntryKind.FILE and self._area.enters(relative)
        judgement = self._area.judge(relative)
        if judgement is None and (not may_enter or entry.kind is EntryKind.OTHER):
            return False
        is_folder = entry.kind is EntryKind.FOLDER
        if is_folder and relative in MACHINE_FOLDERS:  # nobody looks for memories there
            return False
        path = self._area.virtual(relative)
        refusal = self._refuse(path, relative, entry, ignored)
        if refusal is SkipReason.UNREADABLE:
            self._findings.cannot_see(path, refusal)
        elif refusal is not None:
            self._findings.skip(f"{path}/" if is_folder else path, refusal)
        elif is_folder and may_enter:
            return True
        else:
            self._judge(judgement, path, relative, entry)
        return False

    def _judge(self, judgement: Take | SkipReason | None, path: str, relative: str, entry: Entry) -> None:
        match judgement:
            case SkipReason.NOT_MARKDOWN:  # one line a folder: there may be thousands of pictures
                self._findings.skip(f"{posixpath.dirname(path)}/", SkipReason.NOT_MARKDOWN)
            case SkipReason():
                self._findings.skip(path, judgement)
            case Take() if entry.kind is EntryKind.FOLDER:
                self._findings.skip(path, SkipReason.NOT_REGULAR)
            case Take(source, tier):
                evergreen = self._rules.evergreen.take(path)
                file = ListedFile(
                    path, source, tier, self._area.key, relative, evergreen=evergreen, stamp=entry.stamp
                )
                self._findings.take(file, entry.identity, entry.stamp.size)
            case None:
                pass

    def _refuse(self, path: str, relative: str, entry: Entry, ignored: IgnoreStack) -> SkipReason | None:
        """Why an entry is left out whatever its place would make of it."""
        if not entry.is_utf8:
            return SkipReason.NAME_NOT_UTF8
        is_folder = entry.kind is EntryKind.FOLDER
        if is_folder and (pruned := prune_reason(relative)) is not None:
            return pruned
        end = "/" if is_folder else ""
        if self._rules.exclude.take(path + end):
            return SkipReason.EXCLUDED
        if ignored.ignores(relative + end):
            return SkipReason.IGNORED
        if entry.kind in (EntryKind.FILE, EntryKind.FOLDER):
            return self._findings.reserved(entry.identity)
        return _REFUSED_KINDS[entry.kind]
