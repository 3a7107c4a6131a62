import re
import sys
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openclaw_memd.domain.secret_shapes import FOREIGN_STEMS, NAME_STEMS
from openclaw_memd.domain.secrets import MASK, RULES, fold, mask_secrets
from tests.privacy.samples import BLOCK, HEX32, KEYS, LETTERS, NAMED, PEM, PLACES

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJlLWdvZXMtaGVyZQ"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("export OPENAI_API_KEY=sk-test-0000000000000000", "sk-test-0000000000000000"),
        ("the key is sk-ant-api03-abcDEF123456_7890-xyz.", "abcDEF123456"),
        ("STRIPE sk_live_4eC39HqLyjWDarjtT1zdp7dc", "4eC39HqLyjWDarjtT1zdp7dc"),
        ("push with ghp_abcdefghijklmnopqrstuvwxyz0123456789", "ghp_abcdef"),
        ("github_pat_11ABCDEFG0123456789_abcdefghijkl", "github_pat_11"),
        ("glpat-abcdefghij0123456789", "abcdefghij"),
        ("id AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN7EXAMPLE"),
        ("AIzaSyA-1234567890abcdefghijklmnopqrstu", "AIzaSyA"),
        ("slack xoxb-123456789012-abcdefghij", "xoxb-1234"),
        ("bot 123456789:AAabcdefghijklmnopqrstuvwxyz0123456", "AAabcdef"),
        ("hf_abcdefghijklmnopqrstuvwx", "hf_abc"),
        (f"cookie {JWT}", "c2lnbmF0dXJl"),
        ("Authorization: Bearer abc.def-123456", "abc.def-123456"),
        ("curl -H 'authorization: basic dXNlcjpwYXNz'", "dXNlcjpwYXNz"),
        ("postgres://memd:s3cr3t-word@db.example/notes", "s3cr3t-word"),
        ("password: hunter2", "hunter2"),
        ("password = swordfish", "swordfish"),
        ('{"password": "correct horse battery"}', "correct horse"),
        ("**Password**: swordfish", "swordfish"),
        ("The wifi password is Heron4711", "Heron4711"),
        ("Passwort: Geheim", "Geheim"),
        ("mot de passe : ouvretoi", "ouvretoi"),
        ("пароль: рыбка", "рыбка"),
        ("密码：芝麻开门", "芝麻开门"),
        ("비밀번호: 열려라", "열려라"),
        ("DB_PASSWORD=swordfish", "swordfish"),
        ("client_secret: 9f8e7d6c5b4a", "9f8e7d6c5b4a"),
        ("auth token => 'a1b2c3d4e5f6'", "a1b2c3d4e5f6"),
        ("AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCY", "wJalrXUtnFEMI"),
        ("card 4111 1111 1111 1111 until 12/29", "4111 1111"),
        ("card 5500-0000-0000-0004", "5500-0000"),
        ("amex 378282246310005", "378282246310005"),
    ],
)
def test_masks_a_secret(text: str, secret: str) -> None:
    masked = mask_secrets(text)

    assert secret not in masked
    assert MASK in masked


@pytest.mark.parametrize("kind", ["RSA PRIVATE KEY", "OPENSSH PRIVATE KEY", "PGP PRIVATE KEY BLOCK"])
def test_masks_a_private_key_block(kind: str) -> None:
    block = f"-----BEGIN {kind}-----\nMIIEpAIBAAKCAQEA\nabcdef==\n-----END {kind}-----"

    assert mask_secrets(f"before\n{block}\nafter") == f"before\n{MASK}\nafter"


def test_masks_a_private_key_whose_end_is_elsewhere() -> None:
    assert mask_secrets("see\n-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEA") == f"see\n{MASK}"


@pytest.mark.parametrize(
    "text",
    [
        "The deploy target is staging, ticket CHG-48213, port 18789.",
        "The password is stored in the vault.",
        "We count tokens: about four hundred a chunk.",
        "Token: see the wiki for how to get one",
        "A secret: nobody reads the manual.",
        "Order 4111 1111 1111 1112 has shipped",
        "commit 3f786850e387550fdab836ed7e6dc881de23001b",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
        "https://example.com:8443/path?x=1",
        "risk-taking and task-oriented work",
        "周五 仓库 盘点",
        "2026-01-11T03:00:00+02:00 took 1767225600123 ms",
        "on 2026-01-11 2026-01-12 2026-01-13 and 4111.12 4111.13 4111.14",
        "a basic understanding of TypeScript, bearer certificates",
        "Authorization: required for every call",
        "Cookie: the one with chocolate",
        "The key: patience. Keyboard: mechanical. Passed: 12. Compass: north",
        "| Password | Notes |\n| --- | --- |\n| policy | see wiki |",
        "password policy, password manager, passwordless",
        "the session id is short: s1",
        "risk-taking-and-more desk-lamp-42-standing ask-me-anything-2026",
        "from openclaw_memd.domain.secret_shapes import NAMED  # re_compile_something_long_2",
        "IBAN AT61 1904 3002 3457 3201",
        "sha256 " + "0123456789abcdef" * 4,
        "\n".join(["0123456789abcdef" * 4] * 3),
        "-----BEGIN CERTIFICATE-----\n" + f"{BLOCK}\n" * 3 + "-----END CERTIFICATE-----",
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJl3dIeudNqd0DPMRD6OIh65tjkxFNOtGcWGB2gCgPhk ana@boat",
        "mail ana@example.com, git@github.com:openclaw/memd.git, https://ana@example.com/x",
        "https://example.com:8443/@ana and https://example.com/a:b@c",
        "discord.com/api/webhooks is the address; hooks.slack.com/services too",
        "id 0b6c3f0e-7a52-4d6e-9f1b-2c8a4e5d6f70, 192.168.100.254, 1.2.3-rc.1+build.20260111",
    ],
)
def test_leaves_other_text_alone(text: str) -> None:
    assert mask_secrets(text) == text


def test_keeps_what_names_the_secret() -> None:
    assert mask_secrets("router password: hunter2, port 80") == f"router password: {MASK}, port 80"


@pytest.mark.parametrize("name", KEYS)
def test_masks_a_key_wherever_it_stands_and_nothing_else(name: str) -> None:
    for put in PLACES.values():
        assert mask_secrets(put(KEYS[name])) == put(MASK)


@pytest.mark.parametrize("name", NAMED)
def test_masks_a_value_and_keeps_what_is_around_it(name: str) -> None:
    for beginning in ("", "\n", "- ", "> ", "我们的", "so "):
        for ending in ("", "\n", "\r\n", " ", "\nuser: ana\n"):
            masked = mask_secrets(beginning + name.format(NAMED[name]) + ending)
            assert masked == beginning + name.format(MASK) + ending


@pytest.mark.parametrize("name", [name for name in NAMED if name.isascii()])
def test_names_are_known_in_capitals(name: str) -> None:
    if "}}" not in name and "://" not in name:
        assert NAMED[name] not in mask_secrets(name.upper().format(NAMED[name]))


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\\n", "\n    ", "\n> "])
def test_masks_a_block_however_its_lines_end(newline: str) -> None:
    assert mask_secrets(f'"{PEM}"'.replace("\n", newline)) == f'"{MASK}"'


@pytest.mark.parametrize("first", range(1, 4))
def test_masks_the_pieces_of_a_block_that_was_cut(first: int) -> None:
    lines = [PEM.split("\n")[0], *[BLOCK] * 24, *PEM.split("\n")[-2:]]
    for size in (3, 7, 11):
        for start in range(first, len(lines), size):
            piece = "\n".join(lines[start : start + size])
            if piece.count("\n") and piece.count(BLOCK) != 1:
                masked = mask_secrets(piece)
                assert BLOCK[:20] not in masked
                assert "Zm9v" not in masked


@pytest.mark.parametrize("size", [150, 400, 1000])
@pytest.mark.parametrize("newline", ["\n", "\\n"])
def test_masks_the_pieces_of_a_block_that_was_cut_within_lines(newline: str, size: int) -> None:
    text = newline.join([PEM.split("\n")[0], *[BLOCK] * 24, *PEM.split("\n")[-2:]])
    for start in range(100, len(text), size):
        assert BLOCK not in mask_secrets(text[start : start + size])


def test_what_is_said_to_be_public_stays_in_a_string_too() -> None:
    text = "-----BEGIN CERTIFICATE-----\\n" + f"{BLOCK}\\n" * 3 + "-----END CERTIFICATE-----\\n"

    assert mask_secrets(text) == text
    assert mask_secrets("\\n".join(["0123456789abcdef" * 4] * 3)) == "\\n".join(["0123456789abcdef" * 4] * 3)


def test_long_prose_after_a_name_hides_no_password() -> None:
    text = 'token: "' + "we talked about it " * 20 + 'and the password: swordfish"'

    assert "swordfish" not in mask_secrets(text)


CHARS = "ab1 \n\r\t\"'`\\:=|,;.@/-_&<>*()[]{}0477：，。密码sıſKİ是"
BITS = [
    *(*KEYS.values(), *NAMED.values(), *NAME_STEMS, *FOREIGN_STEMS, PEM, MASK, BLOCK, HEX32, LETTERS),
    *(name.replace("{}", "") for name in NAMED),
    *(
        "sk-",
        "eyJ",
        "ghp_",
        "://",
        "api",
        "4111",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY-----",
        "--",
    ),
    *(
        " is ",
        " = ",
        "key",
        "Key",
        "PASSWORD",
        "pa\u017f\u017fword",
        "to\u212aen",
        "sess\u0131on id",
        "密码",
        "мᲂ",
    ),
]
texts = st.lists(st.sampled_from(BITS) | st.text(CHARS, max_size=4), max_size=12).map("".join)


def mask_plainly(text: str) -> str:
    """Every pattern tried at every place, until nothing changes."""
    while True:
        masked = text
        for rule in RULES:
            masked = rule.apply(masked, range(len(masked) + 1))
        if masked == text:
            return text
        text = masked


@given(texts | st.text())
@settings(max_examples=200)
def test_what_is_ruled_out_quickly_is_what_no_pattern_finds(text: str) -> None:
    assert mask_secrets(text) == mask_plainly(text)


@given(texts | st.text())
@settings(max_examples=200)
def test_masking_again_changes_nothing(text: str) -> None:
    once = mask_secrets(text)

    assert mask_secrets(once) == once


WORDS = st.sampled_from(
    ["the boiler", "is in", "cellar", "Ana said,", "on Friday:", "twice?", "周五", "仓库盘点", "é —", "10:30"]
)
prose = st.lists(WORDS, max_size=30).map(" ".join)


@given(prose)
def test_prose_stays_as_it_is(text: str) -> None:
    assert mask_secrets(text) == text


@given(
    prose,
    prose,
    st.sampled_from([*KEYS.values(), PEM]),
    st.sampled_from([" ", "\n", "\r\n", ' "', "：", "（", "是"]),
)
def test_a_key_in_prose_goes_and_the_prose_stays(before: str, after: str, secret: str, between: str) -> None:
    text = before + between + "{}" + between + after

    assert mask_secrets(text.format(secret)) == text.format(MASK)


def test_stems_are_found_in_whatever_case_a_pattern_ignores() -> None:
    letters = sorted(set("".join((*NAME_STEMS, *FOREIGN_STEMS, "cookieauthorizationbearerbasic"))))
    every = "".join(chr(code) for code in range(sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)
    for letter in letters:
        alike = re.findall(re.escape(letter), every, re.IGNORECASE)
        assert {fold(one) for one in alike} == {letter}
    assert len(fold(every)) == len(every)


PIECES = [
    *("a", "-", "1", "password", "sk-", "x://", "-----BEGIN PRIVATE KEY-----", "4111 ", "eyJ", "mot de "),
    *(
        "password:",
        "token:",
        "token: ",
        "token='",
        'password:"',
        "password:„",
        "secret=\\",
        "api key ",
        "key",
    ),
    *(
        "eyJaaaaaaaa.",
        "eyJaaaaaaaa/",
        "bearer ",
        "basic a",
        "authorization:",
        "authorization: a",
        "cookie:",
        "cookie:a=",
    ),
    *("://a:", "://a:b", "://a@", "sig=", "?sig=a", "1 1", "41 ", "4111-", "M", "M.", "SG.", "a" * 60 + "\n"),
    *(
        "-----END PRIVATE KEY-----\n",
        "-----END ",
        BLOCK + "\\n",
        "\\n" + BLOCK,
        "a" * 77 + "\\n",
        "> " + BLOCK + "\n",
        "password for a b c d ",
        "password(",
        "password\n",
        "password | ",
        "<password>a",
    ),
    *(
        "login a password ",
        "--password ",
        "session id ",
        "é",
        "密码",
        "密码是",
        " ",
        "\n",
        "\\",
        '"',
        "|",
        "[masked]",
        "0q8Q~",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("piece", PIECES)
def test_more_text_takes_no_more_time_a_character(piece: str) -> None:
    """Loosely, and eight times the text: a quadratic pattern would take 64 times."""
    text = piece * (20_000 // len(piece))

    def time_s(text: str) -> float:
        began = time.process_time()
        mask_secrets(text)
        return time.process_time() - began

    least = 0.003  # what cannot be measured
    ratios = ((time_s(text * 8) + least) / (time_s(text) + least) for _ in range(4))

    assert any(ratio < 20 for ratio in ratios)


@pytest.mark.parametrize("piece", PIECES)
def test_masking_again_changes_nothing_in_repetitive_text(piece: str) -> None:
    once = mask_secrets(piece * (8_000 // len(piece)))

    assert mask_secrets(once) == once
