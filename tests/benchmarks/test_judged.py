from benchmarks.judged import conversation_rows, deep_rows, language_rows

SUMMARY = {"line_5": 0.7, "line_10": 0.9, "session_5": 0.9, "session_10": 0.95, "reciprocal_rank": 0.6}
RIVAL = dict.fromkeys(SUMMARY, 0.85)
RIVALS = {"BM25 windows": RIVAL, "vectors windows": RIVAL, "RRF windows": RIVAL}


def test_recall_is_held_against_the_target_and_every_rival() -> None:
    ours = SUMMARY | {"chars": 6_900.0}

    rows = list(conversation_rows({"memd by keyword": ours, "memd": ours, **RIVALS}))

    judged = [row for row in rows if row.met is not None]
    assert len(judged) == 7
    assert all(row.met for row in judged)


def test_longer_answers_win_nothing() -> None:
    ours = SUMMARY | {"chars": 7_100.0}

    rows = list(conversation_rows({"memd by keyword": ours, "memd": ours, **RIVALS}))

    assert [row.what for row in rows if row.met is False] == ["characters in the first ten hits"]


def test_without_a_model_keywords_alone_are_judged() -> None:
    rows = list(conversation_rows({"memd by keyword": SUMMARY, "BM25 windows": RIVAL}))

    assert [row.value for row in rows] == [0.9, 0.9]


def test_every_language_is_held_against_bm25() -> None:
    shares = {"de": {"BM25": 0.7, "memd by keyword": 0.8, "memd": 0.9}, "zh": {"BM25": 0.7, "memd": 0.7}}

    met = {row.what: row.met for row in language_rows(shares)}

    assert met == {
        "recall@5, de, memd by keyword": True,
        "recall@5, de, memd": True,
        "recall@5, zh, memd": False,
    }


def test_deep_recall_is_held_against_a_search_of_as_much_text() -> None:
    search = {"line_10": 0.6, "chars": 5_000.0}
    summaries = {
        "category 1": {"search by keyword": search, "deep by keyword": {"line_10": 0.7, "chars": 5_200.0}},
        "category 2": {"search by keyword": search, "deep by keyword": {"line_10": 0.6, "chars": 5_300.0}},
        "all": {"search by keyword": search, "deep by keyword": search},
    }

    rows = list(deep_rows(summaries))

    assert [row.met for row in rows] == [True, True, False, False]
