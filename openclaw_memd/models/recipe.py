"""How a text becomes a model's input: the prefixes and the normalisation that a model was trained with."""

import unicodedata
from dataclasses import dataclass

from openclaw_memd.ports import EmbedKind


@dataclass(frozen=True, slots=True)
class Recipe:
    """What belongs before a query and a passage, and how much of them the model reads.

    ``normalise`` applies NFKC and collapses white space, for models whose file carries no character map of
    its own. ``max_tokens`` counts the special tokens.
    """

    query_prefix: str = ""
    passage_prefix: str = ""
    normalise: bool = False
    max_tokens: int = 512

    def prepare(self, text: str, kind: EmbedKind) -> str:
        """``text`` as the model wants it for ``kind``."""
        if self.normalise:
            text = " ".join(unicodedata.normalize("NFKC", text).split())
        return (self.query_prefix if kind == "query" else self.passage_prefix) + text


PLAIN = Recipe()

# From the model cards of these families; the key is looked for in the file's own `general.name`.
_BY_FAMILY = {
    "e5": Recipe("query: ", "passage: ", normalise=True),
    "nomic-embed": Recipe("search_query: ", "search_document: "),
    "embeddinggemma": Recipe("task: search result | query: ", "title: none | text: "),
    "arctic-embed": Recipe(query_prefix="Represent this sentence for searching relevant passages: "),
    "bge-small-en": Recipe(query_prefix="Represent this sentence for searching relevant passages: "),
    "bge-base-en": Recipe(query_prefix="Represent this sentence for searching relevant passages: "),
    "bge-large-en": Recipe(query_prefix="Represent this sentence for searching relevant passages: "),
}


def recipe_for(model_name: str) -> Recipe:
    """The recipe of the family that ``model_name`` belongs to, or plain text in and nothing added."""
    words = model_name.lower().replace("_", "-").replace(" ", "-")
    padded = f"-{words}-"
    for family, recipe in _BY_FAMILY.items():
        if f"-{family}-" in padded:
            return recipe
    return PLAIN
