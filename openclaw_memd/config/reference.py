"""``config.example.toml`` and ``docs/configuration.md``, made from the schema so that they cannot drift."""

from typing import Any, get_type_hints

import msgspec

from openclaw_memd.config.corpus_sections import ExtraPath
from openclaw_memd.config.describe import keys_of, words_for
from openclaw_memd.config.schema import PER_AGENT, Config
from openclaw_memd.config.session_sections import SessionFolder

_INTRODUCTION = """\
memd reads one TOML file: `--config`, else `MEMD_CONFIG`, else `$XDG_CONFIG_HOME/openclaw-memd/config.toml`.
None is needed. Unknown keys, wrong types and values out of range are errors that name the key (exit code 78);
`memd config check` says them without starting anything.

Every key can be set by the environment as `MEMD_<SECTION>__<KEY>` (the value is read as TOML, else as a
string); `MEMD_WORKSPACE`, `MEMD_SOCKET` and `MEMD_STATE_DIR` are short for `agents.main.workspace`,
`paths.socket` and `paths.state_dir`. A variable with two underscores that names no key is an error; any other
`MEMD_` variable that memd does not know is told by `memd config check`, as are places where nothing is
and keys that the provider beside them has no use for.

A socket's path is absolute and has at most 107 bytes (103 on macOS). Patterns are relative to the workspace
and cannot lead out of it. The state lies in no workspace's memory, no workspace lies in the state, and two
agents share a workspace or have separate ones, not one in the other.
""".splitlines()


def _sections() -> dict[str, type[msgspec.Struct]]:
    """The plain tables of the file in the schema's order."""
    hints = get_type_hints(Config)
    return {name: kind for name, kind in hints.items() if name != "agents"}


def format_toml(value: Any) -> str:
    """A default value as TOML."""
    match value:
        case bool():
            return str(value).lower()
        case int() | float():
            return f"{value:g}" if isinstance(value, float) else str(value)
        case str():
            return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
        case tuple():
            return "[" + ", ".join(format_toml(item) for item in value) + "]"
        case dict():
            return "{}"
        case msgspec.Struct():
            items = (f"{key} = {format_toml(item)}" for key, item in msgspec.structs.asdict(value).items())
            return "{ " + ", ".join(items) + " }"
        case _:
            raise TypeError(f"a default of {type(value).__name__} cannot be written as TOML")


def _title(name: str, kind: type[msgspec.Struct]) -> str:
    return (kind.__doc__ or name).strip().splitlines()[0]


def example_toml() -> str:
    """A configuration file with every key at its default value, each with its meaning."""
    lines = [
        "# Every key of memd with its default value. None is needed: a file holds only what differs.",
        "# The environment may set each: MEMD_<SECTION>__<KEY>, such as MEMD_EMBEDDING__PROVIDER=none.",
        "# [agents.<id>.<section>] overrides these sections for one agent:",
        f"# {', '.join(PER_AGENT)}.",
        "",
        "# One table an agent.",
        "[agents.main]",
        "# A folder of Markdown files; a named one must exist.",
        '# Empty: "~/.openclaw/workspace", which is created when it is missing.',
        'workspace = ""',
    ]
    for name, kind in _sections().items():
        lines += ["", f"# {_title(name, kind)}", f"[{name}]"]
        for key, hint, default, description in keys_of(kind):
            lines += [f"# {description} ({words_for(hint)})", f"{key} = {format_toml(default)}"]
    return "\n".join(lines) + "\n"


def reference_markdown() -> str:
    """The reference page: a table a section."""
    lines = [
        "# Configuration",
        "",
        "This page is generated from the schema (`python -m openclaw_memd.config.reference`).",
        "",
        *_INTRODUCTION,
        "`[agents.<id>]` has `workspace` and may repeat these sections for one agent: "
        + ", ".join(f"`{section}`" for section in PER_AGENT)
        + ".",
    ]
    for name, kind in _sections().items():
        lines += ["", f"## [{name}]", "", _title(name, kind), "", *_table(kind)]
    lines += ["", "## Entries of files.extra", "", *_table(ExtraPath)]
    lines += ["", "## [[sessions.folders]]", "", *_table(SessionFolder)]
    return "\n".join(lines) + "\n"


def _table(kind: type[msgspec.Struct]) -> list[str]:
    rows = ["| key | default | allowed | meaning |", "| --- | --- | --- | --- |"]
    for key, hint, default, description in keys_of(kind):
        shown = "required" if default is msgspec.UNSET else f"`{format_toml(default)}`"
        allowed = words_for(hint).replace("|", "\\|")
        rows.append(f"| `{key}` | {shown} | {allowed} | {description} |")
    return rows


def main() -> None:
    """Write both files below the current folder."""
    from pathlib import Path

    Path("config.example.toml").write_text(example_toml(), encoding="utf-8")
    Path("docs/configuration.md").write_text(reference_markdown(), encoding="utf-8")


if __name__ == "__main__":
    main()
