"""Trying a model out as it is loaded: is the file what its name says, and does it give vectors at all?

A file that was copied over another, or has a damaged part, loads like any other. Only its vectors show it.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from openclaw_memd.models.locate import LocalModel
from openclaw_memd.models.reference import LEAST_COSINE

if TYPE_CHECKING:
    from openclaw_memd.ports import Vectors

_DIFFERENT_TEXTS = ("The database is backed up every night.", "Our cat likes warm milk.")
_SAME_COSINE = 0.9999


def trial_texts(model: LocalModel) -> list[str]:
    """What to embed, as the model reads it: the texts whose vectors are known, else any two."""
    if model.expected:
        return [model.recipe.prepare(reference.text, reference.kind) for reference in model.expected]
    return [model.recipe.prepare(text, "passage") for text in _DIFFERENT_TEXTS]


def find_fault(model: LocalModel, rows: "Vectors") -> str | None:
    """What is wrong with the vectors [n, dims] of ``trial_texts(model)``; None when nothing is."""
    if not rows.any(axis=1).all():
        return f"the model {model.name} gives no usable vectors"
    if not model.expected:
        same = float(rows[0] @ rows[1]) > _SAME_COSINE
        return f"the model {model.name} gives every text the same vector" if same else None
    if _lowest_cosine(model, rows) < LEAST_COSINE:
        return f"the model {model.name} does not give the vectors that it must"
    return None


def _lowest_cosine(model: LocalModel, rows: "Vectors") -> float:
    expected: Sequence[Vectors] = [reference.row() for reference in model.expected]
    if any(row.size != rows.shape[1] for row in expected):
        return -1.0
    return min(float(given @ row) for given, row in zip(rows, expected, strict=True))
