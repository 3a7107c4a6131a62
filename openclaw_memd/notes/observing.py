"""Writes of memory files that a runtime's own tools made: which reports count."""

from openclaw_memd.errors import DeniedError
from openclaw_memd.files.areas import prune_reason
from openclaw_memd.files.names import CURATED, NOTES, is_markdown


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
