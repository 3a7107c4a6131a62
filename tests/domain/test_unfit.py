import pytest

from openclaw_memd.domain.unfit import Unfit, find_unfit


def reasons(text: str) -> list[str]:
    return [reason.value for reason, _ in find_unfit(text)]


@pytest.mark.parametrize(
    ("text", "reason", "line"),
    [
        ("- the key is sk-proj-abcdefghijklmnopqrstuvwx", "secret", 0),
        ("- a\n  password: hunter2-very-long", "secret", 1),
        ("- -----BEGIN PRIVATE KEY-----\n  MIIEvQIBADANBgkq\n  -----END PRIVATE KEY-----", "secret", 0),
        ("- 2026-01-11T10:00:00Z ERROR gateway: refused", "log_dump", 0),
        ("- it failed:\n  [ERROR] 10:00:00 no", "log_dump", 1),
        ('- Traceback (most recent call last):\n    File "a.py", line 3', "log_dump", 0),
        ("- failed\n  at a.b(x.js:3:4)\n  at c.d(y.js:5:6)", "log_dump", 1),
        ("- 10:00:00 a\n- 10:00:01 b\n- 10:00:02 c", "log_dump", 0),
        ("- diff --git a/x b/x", "diff", 0),
        ("- change:\n  @@ -1,3 +1,4 @@", "diff", 1),
        ("--- a/x\n+++ b/x\n-old\n+new", "diff", 0),
        ("- Ana: +43 660 1234567", "phone_number", 0),
        ("- call (555) 123-4567", "phone_number", 0),
        ("- a\n- Telefon: 0660 12 34 567", "phone_number", 1),
        ("- 电话：13812345678", "phone_number", 0),
        ("- ok thanks!", "chat", 0),
        ("- 好的，谢谢", "chat", 0),
        ("- assistant: I have done it", "chat", 0),
        ("- user: hi\n- ai: hello", "chat", 0),
    ],
)
def test_what_is_no_memory_is_named_with_its_line(text: str, reason: str, line: int) -> None:
    assert (Unfit(reason), line) in find_unfit(text)


@pytest.mark.parametrize(
    "text",
    [
        "- The gateway port is 8123.",
        "- The error log lies in /var/log/gateway.",
        "- Backups run at 03:00:00 every night.",
        "- Decided on 2026-01-11, 2026-02-12 and 2026-03-13.",
        "- Server 192.168.100.200, ticket CHG-48213-2210-9931",
        "- User: Ana",
        "- No meetings on Friday.",
        "- Thanks to Ana the roof is mended.",
        "- ISBN 978-3-16-148410-0",
        "---\n- a rule above",
        "- 端口是八千一百二十三。",
        "- 📦🚀",
    ],
)
def test_memories_are_fit(text: str) -> None:
    assert reasons(text) == []


def test_a_long_line_costs_little() -> None:
    assert reasons("- " + "1 " * 20_000) == []
    assert reasons("- " + "ok " * 20_000) == []
