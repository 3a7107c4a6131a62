"""Lines and questions that load corpora are made of: those of a conversation file, or generated ones."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from benchmarks import words

GENERATED_LINES = 3_000
GENERATED_QUESTIONS = 500
UNSPACED_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Material:
    """Note lines, and questions about some of them."""

    lines: tuple[str, ...]
    questions: tuple[str, ...]


def load_material(locomo: Path | None) -> Material:
    """The material of the file at ``locomo``, which has LoCoMo's shape; generated when there is none."""
    if locomo is None:
        return generate_material()
    return read_material(json.loads(locomo.read_text(encoding="utf-8")))


def read_material(samples: list[dict[str, Any]]) -> Material:
    """One line for each turn of the conversations, and their questions."""
    lines = [line for sample in samples for line in _turns(sample["conversation"])]
    questions = [str(pair["question"]) for sample in samples for pair in sample["qa"]]
    return Material(tuple(lines), tuple(questions))


def generate_material(seed: int = words.SEED) -> Material:
    """Lines of generated words, a tenth of them unspaced, and questions that hold words of a line."""
    random = Random(seed)
    lines = tuple(_generate_line(random) for _ in range(GENERATED_LINES))
    questions = tuple(_ask(random, random.choice(lines)) for _ in range(GENERATED_QUESTIONS))
    return Material(lines, questions)


def _turns(conversation: dict[str, Any]) -> Iterator[str]:
    for session in conversation.values():
        if isinstance(session, list):
            for turn in session:
                yield f"- {turn['speaker']}: {' '.join(str(turn['text']).split())}"


def _generate_line(random: Random) -> str:
    if random.random() < UNSPACED_SHARE:
        return f"- {words.unspaced_sentence(random, words=random.randint(10, 40))}"
    sentences = (words.sentence(random, words=random.randint(4, 14)) for _ in range(random.randint(1, 4)))
    return f"- {' '.join(sentences)}"


def _ask(random: Random, line: str) -> str:
    said = line.removeprefix("- ").rstrip(".。")
    if " " not in said:
        start = random.randrange(max(1, len(said) - 6))
        return f"{said[start : start + 6]}?"
    found = said.split()
    start = random.randrange(max(1, len(found) - 6))
    return f"{' '.join(found[start : start + 6])}?"
