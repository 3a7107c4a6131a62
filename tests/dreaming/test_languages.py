"""Nights in other languages: themes are found in inflected words, and what may last is found by its use."""

import pytest

from tests.dreaming.worlds import open_world, session

SPOKEN = {
    "de": (
        "Gewächshaus",
        (
            "Die Pumpe im Gewächshaus steht hinter dem linken Regal.",
            "Das Dach des Gewächshauses ist undicht.",
            "Im Gewächshaus wachsen jetzt auch Gurken.",
            "Der Schlüssel zum Gewächshaus hängt neben der Kellertür.",
        ),
        (
            "Pumpe Gewächshaus",
            "Wo steht die Pumpe?",
            "Was ist hinter dem linken Regal?",
            "linkes Regal Pumpe",
        ),
    ),
    "ru": (
        "теплиц",
        (
            "Насос теплицы стоит за левой полкой.",
            "В теплице протекает крыша.",
            "Ключ от теплицы висит у двери подвала.",
            "Теплицу красили прошлым летом.",
        ),
        ("насос теплицы", "где стоит насос", "что за левой полкой", "левая полка насос"),
    ),
    "zh": (
        "温室",
        (
            "温室的水泵在左边架子后面。",
            "温室屋顶漏水。",
            "温室钥匙挂在地下室门旁边。",
            "去年夏天给温室刷了油漆。",
        ),
        ("温室水泵", "水泵在哪里", "左边架子后面有什么", "左边架子的水泵"),
    ),
    "ja": (
        "温室",
        (
            "温室のポンプは左の棚の後ろにあります。",
            "温室の屋根は雨漏りしています。",
            "温室の鍵は地下室のドアの横に掛けてあります。",
            "去年の夏に温室を塗装しました。",
        ),
        ("温室のポンプ", "ポンプはどこ", "左の棚の後ろに何がある", "左の棚のポンプ"),
    ),
}


@pytest.mark.parametrize("language", SPOKEN)
async def test_a_night_finds_the_theme_and_what_may_last(language: str) -> None:
    """Four notes about one matter, in the forms that the language gives its word; one answers questions."""
    theme, lines, questions = SPOKEN[language]
    config = {
        "agents": {
            "main": {"search": {"languages": ["en", language] if language in ("de", "ru") else ["en"]}}
        }
    }
    async with open_world(config) as world:
        await world.note("memory/2026-01-11.md", "".join(f"- {line}\n" for line in lines))
        for number, question in enumerate(questions):
            await world.ask(question, session(f"s{number}"))
            world.clock.move(days=1 if number < 2 else 0)

        report = await world.memory.dreaming.dreams.run()

        page = (world.folder / "DREAMS.md").read_text()
        reflections, _, truths = page.partition("### Possible Lasting Truths")
        assert report.rem is not None
        assert report.deep is not None
        themes = [line for line in reflections.splitlines() if line.startswith("- `")]
        assert any(theme.casefold() in line and "in 4 memories" in line for line in themes), themes
        assert lines[0] in truths
        assert report.deep.promoted == 1
        assert lines[0] in (world.folder / "MEMORY.md").read_text()
