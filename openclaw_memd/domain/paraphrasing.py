"""Whether a text can be what another one says already, in another order and with more beside it. Pure.

What is held to be said already is written nowhere, so a doubt counts against it. Words alone tell little:
"Anna reports to Bob" has those of "Bob reports to Anna". A word keeps its part when the word that tells it
("to", "from", "before") goes with it; words of which nothing tells the part keep their order.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from openclaw_memd.domain.confusables import fold_words
from openclaw_memd.domain.curated_files import says_same
from openclaw_memd.domain.rewording import find_free
from openclaw_memd.domain.similarity import Outline, find_signs, outline
from openclaw_memd.domain.text import Analyzer

_COMMON_WORDS: Final = 0.5
"""At least this share of the words of both is common."""

_LOOSE: Final = 2
"""So many words of which nothing tells the part may change places beside others: a relation takes a third."""

# What tells the part of the words behind it: prepositions, and conjunctions that are not mere lists.
_ROLES: Final = """
to from by for on in at into onto out off over under up upon with about after before between during through
within than as if when because unless until since while or
zu zum zur aus bei beim mit nach vor für auf in im an am über unter hinter neben zwischen durch gegen um bis
seit während als wenn falls weil ob bevor nachdem sobald oder
con para por en al desde hasta hacia sobre entre contra tras según si cuando porque aunque
à au aux avec pour par dans en sur sous chez depuis vers entre contre si quand parce lorsque ou
com ao aos à às em no na nos nas pelo pela desde até sobre sob se quando porque
in con per da dal dalla al alla nel nella sul sulla tra fra se quando perché
naar met voor op bij uit door tegen tussen als wanneer omdat
в во на с со к ко от до из у за над под перед между для по при через если когда потому или чем
"""

# What makes a text say less than it would without: conditions, ends, alternatives, doubts.
_NARROWS: Final = """
if unless until when while once or only except might could would should will hardly rarely seldom sometimes
perhaps maybe probably formerly previously almost nearly avoid instead
wenn falls ob bevor nachdem sobald solange oder nur außer kann könnte soll sollte darf wird würde früher
damals kaum selten manchmal vielleicht wohl wahrscheinlich ehemals fast statt
si cuando mientras hasta salvo excepto solo podría puede debería quizá antes apenas casi raramente evita
quand jusque jusqu ou sauf seulement pourrait peut devrait autrefois rarement presque parfois évite
se enquanto até exceto só somente pode poderia deveria talvez quase evite
finché potrebbe può dovrebbe forse prima
wanneer tot behalve alleen kan zou moet misschien vroeger bijna zelden soms
если когда пока или кроме только может мог бы должен возможно раньше почти редко иногда едва
"""


class _Part(NamedTuple):
    """A word that means something, behind the one that tells its part, ``""`` if none does.

    ``is_sure`` tells that it is the first behind that; of a later one nobody knows.
    """

    word: str
    role: str
    is_sure: bool

    def fits(self, other: "_Part") -> bool:
        """Whether the two may have the same part."""
        return self.word == other.word and not self.roles().isdisjoint(other.roles())

    def roles(self) -> frozenset[str]:
        return frozenset({self.role} if self.is_sure else {self.role, ""})

    def is_told_in(self, other: "_Part") -> bool:
        """Whether both surely have the same part, and a word tells it."""
        return bool(self.role) and self.role == other.role and self.is_sure and other.is_sure


def is_paraphrase(said: str, there: str, analyzer: Analyzer) -> bool:
    """Whether a text can be what ``there`` says already.

    Half of their words are common, and each number, negation and sign; no word but fillers is only in what is
    ``said``, none that makes it say less only in the other one, and each that means something has the same
    part in both. In scripts without spaces the words keep their order.
    """
    if says_same(said, there, analyzer):
        return True
    said, there = fold_words(said), fold_words(there)
    one, other = outline(said, analyzer), outline(there, analyzer)
    words, others = set(one.words), set(other.words)
    if not words or not others or Counter(one.decisive) != Counter(other.decisive):
        return False
    if find_signs(said) != find_signs(there) or not words - find_free(analyzer) <= others:
        return False
    narrows = _find_listed(_NARROWS, analyzer)
    common = len(words & others) / len(words | others)
    if common < _COMMON_WORDS or not narrows.isdisjoint(others - words):
        return False
    if any(word.is_unit for word in (*one.content, *other.content)):
        return _is_within(one.words, other.words)
    # A relation may be a common word or a sign: who has whom, what -> where.
    relates = bool(find_signs(said)) or not words <= (
        {each.word for each in one.content} | _find_listed(_ROLES, analyzer) | find_free(analyzer)
    )
    most_turned = 0 if relates else _LOOSE
    return _keep_parts(_read_parts(one, analyzer), _read_parts(other, analyzer), most_turned)


def _is_within(short: Sequence[str], long: Sequence[str]) -> bool:
    """Whether a sequence is another one with some left out."""
    rest = iter(long)
    return all(word in rest for word in short)


def _read_parts(found: Outline, analyzer: Analyzer) -> list[_Part]:
    roles, free = _find_listed(_ROLES, analyzer), find_free(analyzer)
    content = iter((*found.content, None))
    following = next(content)
    parts: list[_Part] = []
    role, is_first = "", True
    for word in found.words:
        current = None
        if following is not None and following.word == word:
            current, following = following, next(content)
        if word in roles and not (current is not None and current.decides):
            role, is_first = word, True
        elif current is not None:
            parts.append(_Part(word, role, is_first or not role))
            is_first = False
        elif word not in free:
            role, is_first = "", True
    return parts


def _keep_parts(said: Sequence[_Part], there: Sequence[_Part], most_turned: int) -> bool:
    """Whether each word of ``said`` is in ``there`` with its part.

    The order of up to ``most_turned`` loose ones does not matter where others stand beside them.
    """
    places = _match(said, there)
    if places is None:
        return False
    loose: list[int] = []
    told: dict[str, int] = {}
    is_told = False
    for number, (part, place) in enumerate(zip(said, places, strict=True)):
        begins = part.is_told_in(there[place])
        goes_on = is_told and not part.is_sure and place == places[number - 1] + 1
        is_told = begins or (goes_on and there[place].role == part.role)
        if not is_told:
            loose.append(place)
        elif place < told.get(part.role, -1):
            return False  # in Graz ... in Linz
        else:
            told[part.role] = place
    return (len(loose) <= most_turned and len(loose) < len(said)) or loose == sorted(loose)


def _match(said: Sequence[_Part], there: Sequence[_Part]) -> list[int] | None:
    """The place of each word of ``said`` in ``there``, no two at the same; None where one is missing."""
    left = dict(enumerate(there))
    places: list[int] = []
    for part in said:
        after = places[-1] if places else -1
        place = min(
            (place for place, other in left.items() if part.fits(other)),
            key=lambda place: (not part.is_told_in(there[place]), place < after, place),
            default=None,
        )
        if place is None:
            return None
        del left[place]
        places.append(place)
    return places


@lru_cache(maxsize=8)
def _find_listed(listed: str, analyzer: Analyzer) -> frozenset[str]:
    return frozenset(outline(listed, analyzer).words) - find_free(analyzer)
