"""What says the same in another order, and what has the same words and says something else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.paraphrasing import is_paraphrase
from openclaw_memd.domain.text import Analyzer

ANALYZER = Analyzer(("en", "de", "es", "fr", "ru"))
NAMES = ("Anna", "Bob", "Carla", "Dirk")


@pytest.mark.parametrize(
    ("said", "there"),
    [
        ("The gateway listens on port 9400.", "On port 9400 the gateway listens for its callers."),
        ("Anna moved from Graz to Linz.", "Anna moved to Linz, from Graz, in May."),
        ("Anna reports to Bob.", "Anna, the head of sales, reports to Bob."),
        ("Anna reports to Bob on Friday.", "On Friday, Anna reports to Bob."),
        ("Das Gateway lauscht auf Port 9400.", "Auf Port 9400 lauscht das Gateway, auch nachts."),
        ("If the pump stops, call Bob.", "Call Bob of the night shift if the pump stops."),
        ("Call Bob if the pump stops.", "If the pump stops, call Bob, who is in the next house."),
        ("El servidor escucha en el puerto 9400.", "En el puerto 9400 escucha el servidor nuevo."),
        ("Сервер стоит в подвале.", "Сервер лаборатории стоит в подвале дома."),
        ("备用钥匙在受理处。", "备用的钥匙放在受理处。"),
    ],
)
def test_a_paraphrase(said: str, there: str) -> None:
    assert is_paraphrase(said, there, ANALYZER)


@pytest.mark.parametrize(
    ("said", "there"),
    [
        ("Anna reports to Bob.", "Bob reports to Anna."),
        ("Anna reports to Bob on Friday.", "On Friday Bob reports to Anna."),
        ("Bob reports to Anna.", "To Bob reports Anna."),
        ("Anna manages Bob.", "Bob manages Anna."),
        ("Anna is the boss of Bob.", "Bob is the boss of Anna."),
        ("Anna has Bob since May.", "Since May Bob has Anna."),
        ("Anna hat Bob.", "Bob hat Anna."),
        ("Redis -> Kafka at night.", "At night Kafka -> Redis."),
        ("The key of the safe.", "The safe of the key."),
        ("Anna in Graz calls Bob in Linz.", "Anna in Linz calls Bob in Graz."),
        ("The train goes from Graz to Linz.", "The train goes to Graz from Linz."),
        ("The train leaves to Graz at night.", "The train leaves from Graz at night."),
        ("Port 80 forwards requests to port 443.", "Port 443 forwards requests to port 80."),
        ("Back up before the upgrade starts.", "Upgrade before the back up starts."),
        ("Call Bob if the pump stops.", "The pump stops if Bob calls."),
        ("The lamp is not red and the door is locked.", "The lamp is red and the door is not locked."),
        ("The server is in Graz.", "The server was in Graz."),
        ("Anna must report to Bob.", "Anna may report to Bob."),
        ("The report goes from Ana -> Bob.", "The report goes from Ana <- Bob."),
        ("Red or blue wires go left.", "Red and blue wires go left."),
        ("Anna ist größer als Bob.", "Bob ist größer als Anna."),
        ("In Graz leitet Bob Anna an.", "Anna leitet Bob in Graz an."),
        ("Anna informa a Bob.", "Bob informa a Anna."),
        ("Анна звонит в дом из сада.", "Анна звонит из дома в сад."),
        ("安娜向鲍勃报告。", "鲍勃向安娜报告。"),
        ("AさんはBさんに報告します。", "BさんはAさんに報告します。"),
        ("Call Bob about the pump.", "Call Bob about the pump if it stops."),
        ("The server runs on port 80.", "The server might run on port 80."),
        ("The gateway listens on port 9400.", "Only the test gateway listens on port 9400."),
        ("Use tabs in Go.", "Use tabs or spaces in Go."),
        ("Anna arbeitet in Graz.", "Anna arbeitete früher in Graz."),
        ("The gateway is nоt open.", "The gateway is open now."),  # Cyrillic о
    ],
)
def test_the_same_words_that_say_something_else(said: str, there: str) -> None:
    assert not is_paraphrase(said, there, ANALYZER)
    assert not is_paraphrase(there, said, ANALYZER)


@given(st.permutations(NAMES), st.permutations(NAMES), st.sampled_from(["leads", "reports to", "sits by"]))
def test_who_stands_on_which_side_of_a_relation_is_never_changed(
    one: list[str], other: list[str], relation: str
) -> None:
    said, there = (f"{names[0]} {relation} {names[1]} and {names[2]}." for names in (one, other))
    assert is_paraphrase(said, there, ANALYZER) is (one[:3] == other[:3])
