"""From raw watch events to hints. Pure but for one ``lstat`` a new name."""

import os
import posixpath
import stat
from collections.abc import Iterable, Mapping

from openclaw_memd.files.catalog import Listing
from openclaw_memd.files.ignore import IGNORE_NAME
from openclaw_memd.files.names import is_markdown

EVERYTHING = ""  # hints are prefixes; this is one of every path
_REPLACEMENT = "\ufffd"  # stands in event paths for bytes that are not UTF-8


def hints_of_events(paths: Iterable[str], watched: Mapping[str, str]) -> tuple[frozenset[str], bool]:
    """The hints for event ``paths``, and whether a folder is concerned.

    ``watched`` maps the real paths of watched folders to their virtual ones. A folder event says nothing of
    what is in it, so its hint is the folder. Files that are neither notes nor ignore files give none.
    """
    hints: set[str] = set()
    folders = False
    for path in paths:
        parent, name = os.path.split(path)
        if path in watched:
            hints.add(watched[path])
            folders = True
        elif parent not in watched or _REPLACEMENT in name:
            hints.add(EVERYTHING)
            folders = True
        elif _is_folder(path):
            hints.add(posixpath.join(watched[parent], name, ""))
            folders = True
        elif is_markdown(name) or name == IGNORE_NAME:
            hints.add(posixpath.join(watched[parent], name))
    return frozenset(hints), folders


def hints_between(before: Listing | None, after: Listing) -> frozenset[str]:
    """The paths that differ between two looks; `EVERYTHING` for the first one."""
    if before is None:
        return frozenset({EVERYTHING})
    seen = {(file.path, file.stamp) for file in before.files} ^ {
        (file.path, file.stamp) for file in after.files
    }
    skipped = set(before.skipped) ^ set(after.skipped)
    return frozenset({path for path, _ in seen} | {skip.path for skip in skipped})


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False
