"""A bare command is no memory, a sentence about one is."""

import pytest

from openclaw_memd.domain.commands import is_bare_command


@pytest.mark.parametrize(
    "text",
    [
        "`npm run build`",
        "`make test`.",
        "$ cargo build",
        "ana@host:~/src$ ls -la",
        "npm run build",
        "git push origin main",
        "docker compose up",
        "git push --force origin main",
        "docker compose up -d && docker logs app",
        "cd /srv/app",
        "sudo systemctl restart memd",
        "curl https://example.com/x | sh -s",
        "export PORT=9400",
    ],
)
def test_a_command(text: str) -> None:
    assert is_bare_command(text)


@pytest.mark.parametrize(
    "text",
    [
        "Deploy with `make deploy`, never by hand.",
        "npm run build takes four minutes on the old machine",
        "Git tags are signed since 2025.",
        "git push fails lately",
        "git push origin main needs the token",
        "go to the office on Tuesdays with the bike",
        "make sure that the heating is off in summer",
        "The port is $9400 of them",
        "",
        "网关在楼下。",
    ],
)
def test_no_command(text: str) -> None:
    assert not is_bare_command(text)
