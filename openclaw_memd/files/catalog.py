"""What a look at the workspace can find: files, what was skipped and why, folders to watch."""

from dataclasses import dataclass, field
from enum import StrEnum

from openclaw_memd.domain.provenance import Source, Tier
from openclaw_memd.files.names import WORKSPACE


class SkipReason(StrEnum):
    """Why a file or folder is not in the index. The set is closed; each has a ``description``."""

    MISSING = "missing"
    NOT_A_FOLDER = "not_a_folder"
    UNREADABLE = "unreadable"
    SYMLINK = "symlink"
    NOT_REGULAR = "not_regular"
    NAME_NOT_UTF8 = "name_not_utf8"
    NAME_CASE = "name_case"
    NOT_UTF8 = "not_utf8"
    BINARY = "binary"
    NOT_MARKDOWN = "not_markdown"
    TOO_LARGE = "too_large"
    TOO_MANY = "too_many"
    CHANGING = "changing"
    VANISHED = "vanished"
    DUPLICATE = "duplicate"
    EXCLUDED = "excluded"
    IGNORED = "ignored"
    IGNORE_PATTERN = "ignore_pattern"
    IGNORE_UNREADABLE = "ignore_unreadable"
    HIDDEN = "hidden"
    TOOL_FOLDER = "tool_folder"
    MACHINE_FOLDER = "machine_folder"
    INSTRUCTIONS = "instructions"
    REVIEW = "review"

    @property
    def description(self) -> str:
        """One plain sentence for people."""
        return _DESCRIPTIONS[self]

    @property
    def is_transient(self) -> bool:
        """Whether the file may be as it was, only unreadable now: what is indexed of it stays."""
        return self in _TRANSIENT

    @property
    def is_choice(self) -> bool:
        """Whether the owner chose so or it is so by design: counted, not listed as a problem."""
        return self in _CHOICES


_DESCRIPTIONS = {
    SkipReason.MISSING: "The folder does not exist.",
    SkipReason.NOT_A_FOLDER: "A folder is needed here, and this is something else.",
    SkipReason.UNREADABLE: "It cannot be read; what is known of it stays in the index.",
    SkipReason.SYMLINK: "It is a symbolic link, which is not followed. A note's target may be an extra path.",
    SkipReason.NOT_REGULAR: "It is a folder, a pipe, a socket or a device where a file is needed.",
    SkipReason.NAME_NOT_UTF8: "Its name is not valid UTF-8.",
    SkipReason.NAME_CASE: "Its name differs from the right one in capital letters only; rename it to use it.",
    SkipReason.NOT_UTF8: "Its text is not valid UTF-8.",
    SkipReason.BINARY: "It holds a NUL byte, so it is not text.",
    SkipReason.NOT_MARKDOWN: (
        "The folder holds what looks like notes, or what the patterns take, not named as Markdown (.md)."
    ),
    SkipReason.TOO_LARGE: "It is larger than limits.file_bytes.",
    SkipReason.TOO_MANY: "There are more files than limits.files; this one and those after it are left out.",
    SkipReason.CHANGING: "It was written to during each try to read it.",
    SkipReason.VANISHED: "It was removed before it could be read.",
    SkipReason.DUPLICATE: "The same file is listed already under another name.",
    SkipReason.EXCLUDED: "A pattern of files.exclude names it.",
    SkipReason.IGNORED: "A .memdignore file names it.",
    SkipReason.IGNORE_PATTERN: "A line of this .memdignore file is not a valid pattern; the others count.",
    SkipReason.IGNORE_UNREADABLE: "The folder's .memdignore cannot be read, so nothing in it is read.",
    SkipReason.HIDDEN: "Its name begins with a dot.",
    SkipReason.TOOL_FOLDER: "It is a working folder of a tool (version control, packages, caches, repairs).",
    SkipReason.MACHINE_FOLDER: "It is a working folder of the memory system itself.",
    SkipReason.INSTRUCTIONS: "It is an instruction file for the agent, not a memory.",
    SkipReason.REVIEW: "It is a report for people to review, never a memory.",
}

_TRANSIENT = frozenset({SkipReason.UNREADABLE, SkipReason.CHANGING, SkipReason.IGNORE_UNREADABLE})

_LOST = frozenset({SkipReason.MISSING, SkipReason.NOT_A_FOLDER})

_CHOICES = frozenset(
    {
        SkipReason.EXCLUDED,
        SkipReason.IGNORED,
        SkipReason.HIDDEN,
        SkipReason.INSTRUCTIONS,
        SkipReason.REVIEW,
        SkipReason.MACHINE_FOLDER,
        SkipReason.TOOL_FOLDER,
    }
)


@dataclass(frozen=True, slots=True)
class Skipped:
    """A path that is left out, and a `SkipReason` that says why.

    A name that is not UTF-8 is shown with its odd bytes as ``\\xNN``.
    """

    path: str
    reason: str

    @property
    def is_choice(self) -> bool:
        """See `SkipReason.is_choice`."""
        return SkipReason(self.reason).is_choice

    @property
    def is_workspace(self) -> bool:
        """Whether it is the workspace itself that is not there."""
        return self.path == WORKSPACE and self.reason in _LOST

    @property
    def hides(self) -> bool:
        """Whether files may be there that cannot be seen now."""
        return self.is_workspace or SkipReason(self.reason).is_transient


@dataclass(frozen=True, slots=True)
class Stamp:
    """What ``stat`` says of a file: cheap to get, equal for equal content but for the case in `FileState`."""

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int


@dataclass(frozen=True, slots=True)
class FileState:
    """A stamp with the SHA-256 digest of the content that was read under it.

    ``fresh`` means that the file had changed less than two seconds before it was read: a second change may
    have left the same stamp, so the content must be compared again ("racily clean" in git).
    """

    size: int
    mtime_ns: int
    ctime_ns: int
    inode: int
    hash: bytes
    fresh: bool = False

    @property
    def stamp(self) -> Stamp:
        """The state without the content."""
        return Stamp(self.size, self.mtime_ns, self.ctime_ns, self.inode)


@dataclass(frozen=True, slots=True)
class FileText:
    """The text of a file and the state it was read in.

    A byte-order mark at the start is not part of ``text``: offsets count from the first character after it,
    lines are the same. Everything else is kept, line ends too. ``state.hash`` is of the bytes as stored.
    """

    text: str
    state: FileState


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file to index.

    ``path`` is the virtual name, '/'-separated: relative to the workspace, or ``extra/<name>/...``.
    ``root`` is the key of the root it lies in and ``relative`` its path below it. ``evergreen`` files keep
    their rank with age. ``stamp`` is what the walk saw, None when no walk made this.
    """

    path: str
    source: Source
    tier: Tier
    root: str
    relative: str
    evergreen: bool
    stamp: Stamp | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class ListedFolder:
    """A folder that was read: ``path`` is its virtual name with a final '/', '' for the workspace itself.

    ``identity`` is (device, inode).
    """

    path: str
    root: str
    relative: str
    identity: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Listing:
    """One look at all roots.

    ``complete`` is False when some folder could not be read; ``unreadable`` then holds the prefixes below
    which nothing may be taken for removed. ``twins`` are listed files whose path differs from another one's
    by case or Unicode normal form only: they collide on other file systems.
    """

    files: tuple[ListedFile, ...]
    skipped: tuple[Skipped, ...] = ()
    complete: bool = True
    unreadable: tuple[str, ...] = ()
    folders: tuple[ListedFolder, ...] = ()
    twins: tuple[str, ...] = ()
