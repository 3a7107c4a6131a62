"""What old notes are worth, by cues, in the languages that memd is made for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain import grounding
from openclaw_memd.domain.grounding import Ground, Stated, ground, weigh
from openclaw_memd.domain.text import Analyzer

ANALYZER = Analyzer(("en", "de", "es", "fr", "pt"))


def state(text: str, **more: object) -> Stated:
    return Stated(text, text, text, **more)  # type: ignore[arg-type]


def lean(text: str) -> str:
    return weigh(state(text), ANALYZER).lean


@pytest.mark.parametrize(
    "text",
    [
        "We decided that the office in Linz is open from 9.",
        "Ana prefers tea from the shop in Graz, number 4.",
        "Always answer Ana in German.",
        "Wir haben beschlossen, dass das Büro in Linz um 9 öffnet.",
        "Decidimos que la oficina de Linz abre a las 9.",
        "A partir de agora o escritório de Linz abre às 9.",
        "Nous avons convenu que le bureau de Linz ouvre à 9 heures.",
        "Решили, что офис в Линце открывается в 9 утра.",
        "大家决定林茨办公室从九点开门，门牌号是4。",
        "リンツの事務所は9時に開けると決めた。",
        "린츠 사무실은 9시에 열기로 결정했다.",
    ],
)
def test_what_was_decided_or_ordered_may_last(text: str) -> None:
    assert lean(text) == "durable"


@pytest.mark.parametrize(
    "text",
    [
        "Today the plumber comes at 9.",
        "Heute kommt der Klempner um 9.",
        "Hoy viene el fontanero a las 9.",
        "Сегодня сантехник придёт в 9.",
        "今天水管工9点来。",
        "今日は9時に配管工が来ます。",
        "오늘 배관공이 9시에 옵니다.",
        "Checked the inbox at 9: nothing new.",
        "Alles in Ordnung auf Server 4.",
    ],
)
def test_what_speaks_of_a_day_does_not(text: str) -> None:
    assert lean(text) == "situational"


def test_a_plain_fact_is_shown_and_may_be_staged() -> None:
    found = ground([state("The meter box key lies under the blue pot."), state("Okay then.")], ANALYZER)
    assert [one.key for one in found.facts] == ["The meter box key lies under the blue pot."]
    assert found.lasting == found.facts


@pytest.mark.parametrize(
    "title",
    [
        "To do",
        "TODO:",
        "Next steps",
        "Aufgaben",
        "Pendientes",
        "À faire",
        "Задачи",
        "待办",
        "やること",
        "할 일",
    ],
)
def test_what_is_to_be_done_is_left_out(title: str) -> None:
    text = "Ring the plumber of house 4 about valve 9."
    assert ground([state(text, section=title, title=title)], ANALYZER) == Ground()
    assert ground([state(f"{title} {text}")], ANALYZER) == Ground()


def test_reports_that_all_is_well_are_one_reflection() -> None:
    reports = [state(f"{n} no changes") for n in range(grounding.MANY_REPORTS)]
    found = ground(reports, ANALYZER)
    assert (found.facts, found.lasting, len(found.reflections)) == ((), (), 1)


def test_a_key_makes_a_claim_heavier() -> None:
    text = "The office is in Linz."
    assert weigh(state(text, has_key=True), ANALYZER).weight > weigh(state(text), ANALYZER).weight


TEXTS = st.sampled_from(
    [
        "We decided that the office in Linz is open from 9.",
        "The gateway of house 3 listens on port 9400.",
        "Today the plumber comes at 9.",
        "no changes",
        "Always ring twice.",
        "| a | b |",
        "决定",
        "x",
    ]
)


@given(st.lists(st.tuples(TEXTS, st.sampled_from(["", "A", "B"]), st.integers(0, 3)), max_size=30))
def test_the_caps_hold_and_the_order_is_that_of_the_note(drawn: list[tuple[str, str, int]]) -> None:
    claims = [state(f"{text} {number}", section=section) for text, section, number in drawn]
    found = ground(claims, ANALYZER)
    assert len(found.facts) <= grounding.MOST_FACTS
    assert len(found.candidates) <= grounding.MOST_CANDIDATES
    assert len(found.lasting) <= grounding.MOST_LASTING
    assert len(found.reflections) <= min(grounding.MOST_REFLECTIONS, len(found.facts) + 1)
    for section in ("", "A", "B"):
        assert sum(one.section == section for one in found.facts) <= grounding.MOST_SECTION_FACTS
    keys = list(dict.fromkeys(one.key for one in claims))
    for chosen in (found.facts, found.lasting, [one.stated for one in found.candidates]):
        places = [keys.index(one.key) for one in chosen]
        assert places == sorted(set(places))
    assert found == ground(claims, ANALYZER)
