"""What of a summary may be trusted when something of outside was among what it summarises.

A model that has read a web page writes the page's wishes as its own notes. So in a cycle that heard anything
untrusted, a line is the agent's only if trusted messages of that cycle hold all its content words.
"""

from collections.abc import Sequence

from openclaw_memd.domain import sense
from openclaw_memd.domain.fences import Fence, opening_fence
from openclaw_memd.domain.runs import split_units
from openclaw_memd.domain.text import Analyzer, Token


def find_vouched(pieces: Sequence[str], clean_texts: Sequence[str], analyzer: Analyzer) -> list[bool]:
    """For each of ``pieces``, from a tainted cycle, whether ``clean_texts`` hold all its content words.

    All words but stop words are content words, and so are negations: without them a line says the opposite.
    Stems count as the word, parts of an identifier do not count as the identifier. A piece without any word
    goes with the one before it; at the start nobody vouches for it.
    """
    clean = _forms(clean_texts, analyzer)
    vouched: list[bool] = []
    for piece in pieces:
        tokens = analyzer.tokens(piece)
        if tokens:
            vouched.append(_is_covered(piece, tokens, clean, analyzer))
        else:
            vouched.append(vouched[-1] if vouched else False)
    return vouched


def cut_lines(text: str) -> list[str]:
    """The lines of ``text``; a fenced block is one piece, since half of it would swallow what follows."""
    pieces: list[str] = []
    fence: Fence | None = None
    for line in text.split("\n"):
        if fence is not None:
            pieces[-1] += "\n" + line
            if fence.is_closed_by(line):
                fence = None
        else:
            pieces.append(line)
            fence = opening_fence(line)
    return pieces


def _is_covered(piece: str, tokens: Sequence[Token], clean: frozenset[str], analyzer: Analyzer) -> bool:
    terms = analyzer.query_terms(piece)
    return all(not clean.isdisjoint(term.forms) for term in terms) and _denials(tokens) <= clean


def _forms(texts: Sequence[str], analyzer: Analyzer) -> frozenset[str]:
    forms: set[str] = set()
    for text in texts:
        for token in analyzer.tokens(text):
            forms.update(token.forms)
            if token.kind == "run":
                forms.update(split_units(token.forms[0]))
    return frozenset(forms)


def _denials(tokens: Sequence[Token]) -> set[str]:
    """The forms of ``tokens`` that deny, as ``_forms`` gives them for a text that has them too."""
    found: set[str] = set()
    for token in tokens:
        whole = token.forms[0]
        if token.kind == "run":
            if whole in sense.NEGATION_PAIRS:
                found.add(whole)
            found.update(unit for unit in split_units(whole) if unit in sense.NEGATION_UNITS)
        elif whole in sense.NEGATIONS or whole.endswith("n't"):
            found.add(whole)
    return found
