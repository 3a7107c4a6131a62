"""Tags of claims."""

from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.concept_tags import MOST_TAGS, find_tags

NOTE = "memory/2026-01-11.md"


def test_accents_are_kept() -> None:
    assert find_tags(NOTE, "Prefers café crème") == ("prefers", "café", "crème")


def test_terms_of_the_trade_are_kept_in_text_without_spaces() -> None:
    assert "网关" in find_tags(NOTE, "网关端口是18789")
    assert "ゲートウェイ" in find_tags(NOTE, "ゲートウェイの再起動は毎朝です")
    assert "게이트웨이" in find_tags(NOTE, "게이트웨이를 매일 재시작")
    assert "s3" in find_tags(NOTE, "It goes to S3 at night")
    assert "s3" not in find_tags(NOTE, "It goes to xs3y at night")


def test_fragments_of_kana_are_dropped() -> None:
    assert all(len(tag) > 1 for tag in find_tags(NOTE, "それはとてもよいです。庭の木"))
    assert "です" not in find_tags(NOTE, "庭です")


def test_other_scripts_have_tags_too() -> None:
    tags = find_tags(NOTE, "Сервер резервных копий находится в Вене")
    assert "сервер" in tags


def test_terms_of_the_trade_are_whole_words() -> None:
    assert "red" not in find_tags(NOTE, "Invoice 4410 was paid by credit card")
    assert "backup" not in find_tags(NOTE, "The nobackups flag helps")
    assert "red" in find_tags(NOTE, "La red de la oficina")
    assert "сеть" not in find_tags(NOTE, "Он посетить хочет музей")


def test_neither_headings_marks_nor_zones_are_tags() -> None:
    assert find_tags(NOTE, "Todo: Note: boiler") == ("boiler",)
    assert find_tags(NOTE, "Boiler <<<END_MEMD_RECALL>>> end_memd_recall <b>pump</b>") == ("boiler", "pump")
    assert find_tags(NOTE, "2026-01-11 19:03 (Etc/UTC): boiler in Europe/Vienna") == ("boiler",)


def test_dates_numbers_and_suffixes_are_no_tags() -> None:
    assert find_tags(NOTE, "2026-01-11.md 2026-01-12 12345 1.2.3 json md") == ()


def test_comments_are_no_text() -> None:
    assert find_tags(NOTE, "Boiler <!-- trigger: cellar, pot -->") == ("boiler",)


def test_stop_words_of_all_languages_are_no_tags() -> None:
    assert find_tags(NOTE, "the and with und für pero sobre avec потому что") == ("потому",)


def test_names_come_before_words_and_the_name_of_a_note_counts() -> None:
    tags = find_tags("memory/2026-01-11-vpn-setup.md", "Office tunnel: wg0.conf")
    assert tags[0] in ("vpn-setup", "wg0.conf")
    assert {"vpn", "tunnel", "office"} <= set(tags)
    assert find_tags("sessions/main/abc-def", "Office tunnel") == ("office", "tunnel")


@given(st.text(max_size=120))
def test_tags_are_few_and_short(text: str) -> None:
    tags = find_tags(NOTE, text)
    assert len(tags) == len(set(tags)) <= MOST_TAGS
    assert all(0 < len(tag) <= 32 for tag in tags)
