"""What an old note or conversation stands for, as the diary shows it. Pure."""

from collections.abc import Callable, Sequence
from typing import Final

from openclaw_memd.domain.grounding import Ground
from openclaw_memd.dreaming.rendering import plain

MOST_REFERENCES: Final = 3  # OpenClaw's value


def render_ground(ground: Ground, references: Callable[[str], Sequence[str]]) -> str:
    """The body of an entry; empty when there is nothing to show.

    ``references`` gives where a claim stands, as ``path:line``, by its key.
    """

    def item(key: str, text: str, note: str = "") -> str:
        where = ", ".join(references(key)[:MOST_REFERENCES])
        return f"- {plain(text)}{note} [{where}]"

    sections = (
        ("What Happened", [item(one.key, one.text) for one in ground.facts]),
        ("Reflections", [f"- {text}" for text in ground.reflections]),
        (
            "Candidates",
            [item(one.stated.key, one.stated.text, f" ({one.lean})") for one in ground.candidates],
        ),
        ("Possible Lasting Updates", [item(one.key, one.text) for one in ground.lasting]),
    )
    return "\n\n".join(f"## {title}\n\n" + "\n".join(lines) for title, lines in sections if lines)
