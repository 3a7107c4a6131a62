import pytest

from openclaw_memd.models.recipe import PLAIN, Recipe, recipe_for


def test_prefixes_and_normalisation() -> None:
    recipe = Recipe("query: ", "passage: ", normalise=True)

    assert recipe.prepare("Ａ  note\n\u3000again", "query") == "query: A note again"
    assert recipe.prepare("ﬁne", "passage") == "passage: fine"


def test_a_plain_recipe_changes_nothing() -> None:
    assert PLAIN.prepare(" Ａ \n", "query") == " Ａ \n"


@pytest.mark.parametrize(
    ("name", "prefix"),
    [
        ("multilingual-e5-base-q8_0", "query: "),
        ("nomic-embed-text-v1.5.Q8_0", "search_query: "),
        ("embeddinggemma-300M-qat-Q8_0", "task: search result | query: "),
        ("bge-small-en-v1.5", "Represent this sentence for searching relevant passages: "),
        ("bge-m3", ""),
        ("some-e55-model", ""),
    ],
)
def test_known_families_have_their_prefix(name: str, prefix: str) -> None:
    assert recipe_for(name).query_prefix == prefix
