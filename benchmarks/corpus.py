"""A workspace of generated notes, the same for the same material and size."""

from collections.abc import Iterator
from datetime import date, timedelta
from itertools import chain, count, islice
from pathlib import Path
from random import Random

from benchmarks import words
from benchmarks.material import Material
from openclaw_memd.domain.chunks import chunk_text

FIRST_DAY = date(2023, 1, 1)
DAYS = 1_096
FEWEST_LINES = 6
MOST_LINES = 34
LINES_IN_SECTION = 7
RARE_WORD_SHARE = 0.1
CURATED_ENTRIES = 60
SAMPLE_NOTES = 300

File = tuple[str, str]


def files_of(material: Material) -> Iterator[File]:
    """Path and text of ever more files: MEMORY.md, then notes.

    The first notes are daily files, later ones have a slug; one in eight lies in a folder below, and one in
    twenty has no date. On average a note gives between two and three chunks.
    """
    yield "MEMORY.md", _curated(material)
    for number in count():
        yield _path(number), _note(material, number)


def sized(material: Material, chunks: int) -> Iterator[File]:
    """So many files that they give about ``chunks`` chunks, judged by the first few hundred."""
    files = files_of(material)
    sample = list(islice(files, 1 + SAMPLE_NOTES))
    curated, *notes = (len(chunk_text(text, per_entry="/" not in path)) for path, text in sample)
    total = 1 + round((chunks - curated) * len(notes) / sum(notes))
    return islice(chain(sample, files), total)


def write(files: Iterator[File], workspace: Path) -> int:
    """Write ``files`` into the folder ``workspace``; how many they were."""
    folders: set[Path] = set()
    number = 0
    for number, (path, text) in enumerate(files, start=1):  # noqa: B007
        target = workspace / path
        if target.parent not in folders:
            target.parent.mkdir(parents=True, exist_ok=True)
            folders.add(target.parent)
        target.write_text(text, encoding="utf-8")
    return number


def _path(number: int) -> str:
    random = Random(f"path {number}")
    round_, day = divmod(number, DAYS)
    name = str(FIRST_DAY + timedelta(days=day))
    if round_:
        name += f"-{words.spaced().draw_rare(random)}-{round_}"
    draw = random.random()
    if draw < 0.05:
        return f"memory/topics/{words.spaced().draw_rare(random)}-{number}.md"
    if draw < 0.175:
        return f"memory/archive/{name[:4]}/{name}.md"
    return f"memory/{name}.md"


def _note(material: Material, number: int) -> str:
    """Lines of the material in a new order, some with a rare word more: vocabularies grow with text."""
    random = Random(f"note {number}")
    parts = [f"# {words.sentence(random, words=3)}"]
    for position in range(random.randint(FEWEST_LINES, MOST_LINES)):
        if position % LINES_IN_SECTION == 0:
            parts.append(f"\n## {words.sentence(random, words=2)}\n")
        line = random.choice(material.lines)
        if random.random() < RARE_WORD_SHARE:
            line += f" ({words.spaced().draw_rare(random)}-{random.randrange(100_000)})"
        parts.append(line)
    return "\n".join(parts) + "\n"


def _curated(material: Material) -> str:
    random = Random("curated")
    entries = random.sample(material.lines, min(CURATED_ENTRIES, len(material.lines)))
    return "\n".join(("# Memory", "", *entries, ""))
