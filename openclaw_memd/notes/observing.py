"""Writes of memory files that a runtime's own tools made: which reports count."""

import re

from openclaw_memd.errors import DeniedError, InvalidParamsError
from openclaw_memd.files.areas import CURATED, NOTES, is_markdown, prune_reason

_SHA256 = re.compile("[0-9a-f]{64}")


def check_path(path: str) -> None:
    """Raises:
    DeniedError: ``path`` is no plain relative path (``outside``), or not that of a memory file of the
        workspace (``not_memory``).
    """
    parts = path.split("/")
    if "\0" in path or any(part in ("", ".", "..") for part in parts):
        raise DeniedError("the path leads out of the memory", reason="outside", field="path")
    folders = ["/".join(parts[:count]) for count in range(1, len(parts))]
    is_note = parts[0] == NOTES and len(parts) > 1 and is_markdown(path) and not parts[-1].startswith(".")
    if path not in CURATED and not (is_note and not any(map(prune_reason, folders))):
        raise DeniedError("not a memory file", reason="not_memory", field="path")


def check_hash(value: str, field: str, *, may_be_empty: bool) -> str:
    """``value``, SHA-256 in hex, in lower case; ``""`` stands for no file.

    Raises:
        InvalidParamsError: it is something else.
    """
    lowered = value.lower()
    if _SHA256.fullmatch(lowered) or (may_be_empty and not lowered):
        return lowered
    raise InvalidParamsError(f"{field} must be SHA-256 in hex", field=field, reason="value")
