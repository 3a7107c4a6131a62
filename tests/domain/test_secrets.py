import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.domain.secrets import MASK, mask_secrets

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
    ],
)
def test_leaves_other_text_alone(text: str) -> None:
    assert mask_secrets(text) == text


def test_keeps_what_names_the_secret() -> None:
    assert mask_secrets("router password: hunter2, port 80") == f"router password: {MASK}, port 80"


@given(st.text())
def test_masking_again_changes_nothing(text: str) -> None:
    once = mask_secrets(text)

    assert mask_secrets(once) == once


PARTS = ["password: hunter2", "sk-abcdefghijklmnop1", "", '"', "token=x1y2z3a4b5", "4111111111111111"]


@given(st.lists(st.sampled_from(PARTS)))
def test_masking_again_changes_nothing_around_secrets(parts: list[str]) -> None:
    once = mask_secrets("\n".join(parts))

    assert mask_secrets(once) == once
    assert "hunter2" not in once


@pytest.mark.parametrize(
    "piece",
    ["a", "-", "1", "password", "sk-", "x://", "-----BEGIN PRIVATE KEY-----", "4111 ", "eyJ", "mot de "],
)
def test_long_repetitive_text_is_finished(piece: str) -> None:
    once = mask_secrets(piece * (40_000 // len(piece)))

    assert mask_secrets(once) == once
