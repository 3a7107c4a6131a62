"""Names that mean something below a root."""

WORKSPACE = "workspace"
"""The key of the workspace root; that of an extra root is its virtual name."""

CURATED = ("MEMORY.md", "USER.md")
INSTRUCTIONS = frozenset({"AGENTS.md", "SOUL.md", "TOOLS.md", "IDENTITY.md", "HEARTBEAT.md", "BOOTSTRAP.md"})
REVIEW = "DREAMS.md"
NOTES = "memory"
IMPORTS = "memory/imports/"
EXTRA = "extra/"
MACHINE_FOLDERS = frozenset({"memory/.dreams", "memory/dreaming"})
TOOL_FOLDERS = frozenset(
    {".git", ".openclaw-repair", ".pnpm-store", ".tox", ".venv", "__pycache__", "node_modules", "venv"}
)


def is_markdown(path: str) -> bool:
    """Whether the name is one of a Markdown file."""
    return path.lower().endswith(".md")
