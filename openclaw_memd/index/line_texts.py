"""What is embedded of a chunk's lines, beside the whole chunk, so that passages can be told apart."""

from collections.abc import Sequence

from openclaw_memd.domain.annotations import strip_annotations
from openclaw_memd.domain.identifiers import hide_blobs


def line_texts(chunk_text: str) -> list[str]:
    """One text for each line of a chunk that has any, in order; annotations and encoded bytes are no text.

    However blank lines and annotations are spread in them, chunks of the same text have the same lines: line
    vectors are stored under the text's hash.
    """
    return [text for _, text in lines_with_text(chunk_text.split("\n"))]


def lines_with_text(lines: Sequence[str]) -> list[tuple[int, str]]:
    """What ``line_texts`` gives for a chunk of these ``lines``, with places among them, the first being 0."""
    return [
        (place, text)
        for place, line in enumerate(lines)
        if (text := hide_blobs(strip_annotations(line).strip()))
    ]
