import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.runs import index_pieces, query_pieces, split_units

kana_and_han = st.text(st.sampled_from("仓库在哪里引っ越し準備の鍵は受付什么的了"), min_size=1, max_size=12)
hangul = st.text(st.sampled_from("창고열쇠는경비실에있다어디"), min_size=1, max_size=8)


def test_marks_stay_with_their_base() -> None:
    assert list(split_units("ที่ห้อง")) == ["ที่", "ห้", "อ", "ง"]
    assert list(split_units("仓库")) == ["仓", "库"]


def test_pairs_overlap_and_the_last_unit_stands_alone() -> None:
    assert index_pieces("仓库门") == ["仓库", "库门", "门"]
    assert index_pieces("门") == ["门"]


@given(st.one_of(kana_and_han, hangul))
def test_what_a_query_asks_for_is_in_the_index_of_its_run(run: str) -> None:
    indexed = index_pieces(split_units(run))
    for piece in query_pieces(run):
        if piece.prefix:
            assert any(form.startswith(piece.form) for form in indexed)
        else:
            assert piece.form in indexed


@pytest.mark.parametrize(
    ("run", "asked"),
    [
        ("仓库", ["仓库"]),
        ("备用零件", ["备用", "用零", "零件"]),
        ("打印机怎么升级", ["打印", "印机", "升级"]),
        ("鍵はどこ", ["鍵*", "鍵は"]),
        ("鍵", ["鍵*"]),
        ("からす", ["から", "らす"]),
        ("창고열쇠는", ["창고", "고열", "열쇠"]),
        ("회의", ["회의"]),
    ],
)
def test_function_words_are_not_asked_for(run: str, asked: list[str]) -> None:
    assert [piece.form + "*" * piece.prefix for piece in query_pieces(run) if not piece.stop] == asked


@pytest.mark.parametrize("run", ["什么", "是的", "어디에", "的", "ですか"])
def test_a_run_of_function_words_is_stop_altogether(run: str) -> None:
    assert query_pieces(run)
    assert all(piece.stop for piece in query_pieces(run))
