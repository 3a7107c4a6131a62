"""English inflection: of what a word may be the plural or a tense. Derivation is left out. Pure.

Snowball's English stemmer also takes endings off that make other words: ``important`` has the stem of
``import``, ``paste`` that of ``past``, ``customer`` that of ``custom``. What people type as a keyword counts
in its own forms alone, so the stems only say where to look, and this says whether two words are one.
"""

from collections.abc import Iterator
from typing import Final

_LEAST_STEM: Final = 3
"""``us`` has no form ``uses``, and ``a`` none ``as``."""

_LEAST_COMPOUND: Final = 5
"""An irregular plural of so many letters is one at the end of a longer word too: grandchildren."""

_LEAST_OF_MEN: Final = 7
"""``foremen`` are men; ``ramen`` and ``yemen`` are none."""

_VOWELS: Final = frozenset("aeiouy")
_SIBILANTS: Final = ("s", "x", "z", "ch", "sh", "o")

_IRREGULAR: Final[dict[str, str]] = {
    "alumni": "alumnus",
    "analyses": "analysis",
    "appendices": "appendix",
    "axes": "axis",
    "bacteria": "bacterium",
    "bases": "basis",
    "cacti": "cactus",
    "calves": "calf",
    "children": "child",
    "codices": "codex",
    "crises": "crisis",
    "criteria": "criterion",
    "curricula": "curriculum",
    "diagnoses": "diagnosis",
    "dice": "die",
    "dwarves": "dwarf",
    "ellipses": "ellipsis",
    "elves": "elf",
    "emphases": "emphasis",
    "errata": "erratum",
    "feet": "foot",
    "foci": "focus",
    "formulae": "formula",
    "fungi": "fungus",
    "geese": "goose",
    "halves": "half",
    "hooves": "hoof",
    "indices": "index",
    "knives": "knife",
    "larvae": "larva",
    "leaves": "leaf",
    "lice": "louse",
    "lives": "life",
    "loaves": "loaf",
    "matrices": "matrix",
    "memoranda": "memorandum",
    "men": "man",
    "mice": "mouse",
    "nuclei": "nucleus",
    "oases": "oasis",
    "oxen": "ox",
    "paralyses": "paralysis",
    "people": "person",
    "phenomena": "phenomenon",
    "prognoses": "prognosis",
    "prostheses": "prosthesis",
    "radii": "radius",
    "scarves": "scarf",
    "selves": "self",
    "shelves": "shelf",
    "stimuli": "stimulus",
    "strata": "stratum",
    "syllabi": "syllabus",
    "symposia": "symposium",
    "synopses": "synopsis",
    "teeth": "tooth",
    "theses": "thesis",
    "thieves": "thief",
    "vertebrae": "vertebra",
    "vertices": "vertex",
    "vortices": "vortex",
    "wives": "wife",
    "wolves": "wolf",
    "women": "woman",
}
"""Plurals that no rule makes: those of common nouns, and of the Latin and Greek ones that keep theirs.
``media`` and ``data`` are words of their own today."""

_ODD_ENDINGS: Final = frozenset({"ses", "zes", "men", *(plural[-3:] for plural in _IRREGULAR)})
"""The last letters of every plural that Snowball's stem does not join with its singular."""


def singulars(word: str) -> frozenset[str]:
    """A folded word itself, and what it may be the plural (or the third person) of."""
    return frozenset((word, *_irregular(word), *_without_s(word)))


def plain_forms(word: str) -> frozenset[str]:
    """A folded word itself, and what it may be the plural, the past or the present participle of."""
    return singulars(word) | frozenset(_without_tense(word))


def hidden_singulars(word: str) -> tuple[str, ...]:
    """Singulars of a folded word that have another Snowball stem than it: ``mouse``, ``bus``."""
    if word[-3:] not in _ODD_ENDINGS:  # as nearly all
        return ()
    return (*_irregular(word), *(_without_es(word) if word.endswith(("ses", "zes")) else ()))


def are_forms(one: str, other: str) -> bool:
    """Whether two folded words may be forms of one word."""
    return not plain_forms(one).isdisjoint(plain_forms(other))


def is_form_of(word: str, chosen: str) -> bool:
    """Whether ``word`` is ``chosen`` in the other number, or a tense of it.

    Unlike ``are_forms`` it has a direction: ``staging`` is a form of ``stage``; ``stage`` is none of
    ``staging``, which somebody chose as the name of a thing.
    """
    return not singulars(word).isdisjoint(singulars(chosen)) or chosen in plain_forms(word)


def _irregular(word: str) -> Iterator[str]:
    if word in _IRREGULAR:
        yield _IRREGULAR[word]
        return
    for start in range(1, len(word) - _LEAST_COMPOUND + 1):
        if (singular := _IRREGULAR.get(word[start:])) is not None:
            yield word[:start] + singular
    if word.endswith("men") and len(word) >= _LEAST_OF_MEN:
        yield word[:-2] + "an"


def _without_s(word: str) -> Iterator[str]:
    if not word.endswith("s") or word.endswith(("ss", "us", "is")) or len(word) <= _LEAST_STEM:
        return
    yield word[:-1]
    if word.endswith("ies"):
        yield word[:-3] + "y"
    yield from _without_es(word)


def _without_es(word: str) -> Iterator[str]:
    stem = word[:-2]
    if word.endswith("es") and len(stem) >= _LEAST_STEM and stem.endswith(_SIBILANTS):
        yield stem
        yield from _undoubled(stem)


def _without_tense(word: str) -> Iterator[str]:
    for ending in ("ed", "ing"):
        stem = word.removesuffix(ending)
        if stem == word or not _VOWELS.intersection(stem):
            continue
        yield stem
        yield stem + "e"
        yield from _undoubled(stem)
    if word.endswith("ied"):
        yield word[:-3] + "y"
    elif word.endswith("ying"):
        yield word[:-4] + "ie"


def _undoubled(stem: str) -> Iterator[str]:
    if len(stem) > _LEAST_STEM and stem[-1] == stem[-2] and stem[-1] not in _VOWELS:
        yield stem[:-1]
