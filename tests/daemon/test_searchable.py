"""A note is saved; then it is found, in its own language, with the right lines."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from tests.daemon.clients import PATIENT, over_http, page
from tests.daemons import RunningDaemon, short_folder


@dataclass(frozen=True)
class Case:
    language: str
    text: str
    queries: tuple[str, ...]

    @property
    def path(self) -> str:
        return f"memory/{self.language}.md"


CASES = [
    Case(
        "english",
        "The gateway port was changed because of CHG-48213.",
        ("gateway ports", "CHG-48213", "change 48213"),
    ),
    Case(
        "german",
        "Der Schlüssel für das Gartenhaus hängt neben der Kellertür.",
        ("Schluessel Gartenhaus", "Schlüssels"),
    ),
    Case("spanish", "La contraseña del almacén está en el cajón.", ("contrasena almacen", "cajones")),
    Case("french", "Les réunions d'équipe commencent à neuf heures.", ("reunion equipe", "l'équipe")),
    Case("portuguese", "A chave reserva ficou com a vizinha do terceiro andar.", ("vizinhas", "chave andar")),
    Case("russian", "Запасные ключи лежат у соседки.", ("запасной ключ", "соседка")),
    Case("arabic", "المفتاح الاحتياطي عند الجيران", ("مفتاح احتياطي", "المفتاح")),
    Case("chinese", "周五上午在二楼仓库清点备用零件", ("仓库", "零件", "备用零件", "周五 仓库")),
    Case("japanese", "来月の引っ越し準備 予備の鍵は受付", ("準備", "引っ越し", "予備の鍵")),
    Case("korean", "창고열쇠는 경비실에 있다", ("열쇠", "경비실")),
    Case("thai", "กุญแจสำรองอยู่ที่ห้องธุรการ", ("สำรอง", "กุญแจ")),
]
QUESTIONS = [(case, query) for case in CASES for query in case.queries]
ABOVE = "# Notes\n\n- something that nobody asks for\n\n"
LINE = 5


@pytest.fixture(scope="module")
def daemon() -> Iterator[RunningDaemon]:
    languages = {"MEMD_SEARCH__LANGUAGES": '["en", "de", "es", "fr", "pt"]'}
    with short_folder() as folder, RunningDaemon(folder, env=PATIENT | languages) as running:
        for case in CASES:
            running.write(case.path, f"{ABOVE}- {case.text}\n\n- and a last entry\n")
        running.write("memory/drivers-a.md", "打印机的驱动\n")
        running.write("memory/drivers-b.md", "驱动怎么升级\n")
        running.wait_until(lambda: running.agent()["files"] == len(CASES) + 2)
        running.settle()
        yield running


def assert_is_cited_right(daemon: RunningDaemon, hit: dict[str, Any], case: Case) -> None:
    lines = (daemon.workspace / case.path).read_text(encoding="utf-8").split("\n")
    assert hit["path"] == case.path
    assert hit["text"] == "\n".join(lines[hit["start_line"] - 1 : hit["end_line"]])
    assert hit["start_line"] <= LINE <= hit["end_line"]
    assert case.text in hit["text"]
    assert hit["citation"] == f"{case.path}#L{hit['start_line']}-L{hit['end_line']}"


@pytest.mark.parametrize(("case", "query"), QUESTIONS, ids=lambda value: getattr(value, "language", ""))
def test_a_note_is_found_over_http(daemon: RunningDaemon, case: Case, query: str) -> None:
    answer = over_http(daemon, "recall.search", query=query)

    assert_is_cited_right(daemon, answer["hits"][0], case)
    assert case.text in answer["context"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.language)
def test_a_note_is_found_on_the_command_line(daemon: RunningDaemon, case: Case) -> None:
    done = daemon.memd("search", case.queries[0], "--json")

    assert done.returncode == 0
    assert done.stderr == ""
    assert_is_cited_right(daemon, json.loads(done.stdout)["hits"][0], case)


def test_words_of_a_run_are_found_though_nothing_holds_the_whole_run(daemon: RunningDaemon) -> None:
    found = daemon.search_paths("打印机驱动升级", min_score=0)

    assert {"memory/drivers-a.md", "memory/drivers-b.md"} <= set(found)


def test_what_search_names_can_be_read_on(daemon: RunningDaemon) -> None:
    hit = daemon.call("recall.search", query="CHG-48213")["hits"][0]

    read = daemon.call("recall.get", path=hit["path"], **{"from": LINE, "lines": 1})

    assert read["text"] == f"- {CASES[0].text}"
    assert (read["from"], read["lines"], read["total_lines"], read["next_from"]) == (LINE, 1, 7, LINE + 1)


def test_health_and_metrics_are_pages(daemon: RunningDaemon) -> None:
    health = page(daemon, "/health")
    metrics = page(daemon, "/metrics")

    assert (health.status_code, health.json()) == (200, {"status": "ok"})
    assert f'memd_files{{agent="main"}} {len(CASES) + 2}' in metrics.text
