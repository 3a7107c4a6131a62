"""What of a source is taken, and why the rest is not."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from openclaw_memd.errors import InvalidParamsError
from openclaw_memd.files.rules import FileRules
from openclaw_memd.ops.imports import collecting
from openclaw_memd.ops.imports.types import Source
from tests.ops.imports.worlds import open_world, reasons, states


async def test_claude_code_has_a_folder_for_each_project_and_one_of_the_user(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.offer(".claude/projects/-home-ana-shop/memory/MEMORY.md", "- pnpm\n")
        world.offer(".claude/projects/-home-ana-shop/memory/deep/er/x.md", "- x\n")
        world.offer(".claude/projects/-home-ana-shop/notes/y.md", "- no memory\n")
        world.offer(".claude/projects/-home-ana-shop/session.jsonl", "{}\n")
        world.offer(".claude/projects/-home-ana-web/memory/MEMORY.md", "- vite\n")
        world.offer("auto/habits.md", "- tabs\n")
        world.offer(".claude/settings.json", '{"autoMemoryDirectory": "~/auto"}')
        preview = await world.preview("claude-code")
        assert list(states(preview)) == [
            "claude-code/-home-ana-shop/memory/MEMORY.md",
            "claude-code/-home-ana-shop/memory/deep/er/x.md",
            "claude-code/-home-ana-web/memory/MEMORY.md",
            "claude-code/autoMemoryDirectory/habits.md",
        ]
        assert preview.skipped == ()
        (section,) = preview.beside.sessions
        assert f'path = "{world.home}/.claude/projects"' in section


async def test_settings_that_say_nothing_of_use_are_no_matter(tmp_path: Path) -> None:
    odd = (
        '{"autoMemoryDirectory": "relative"}',
        '{"autoMemoryDirectory": 7}',
        "[1]",
        "{",
        "null",
        "[" * 10**5,
        '{"autoMemoryDirectory": "/\\ud800"}',
        '{"autoMemoryDirectory": "/a\\u0000b"}',
    )
    async with open_world(tmp_path) as world:
        world.offer(".claude/projects/-p/memory/MEMORY.md", "- pnpm\n")
        for settings in odd:
            world.offer(".claude/settings.json", settings)
            assert list(states(await world.preview("claude-code"))) == ["claude-code/-p/memory/MEMORY.md"]


@pytest.mark.parametrize("kind", ["pipe", "device", "folder", "nothing"])
async def test_settings_that_are_no_file_keep_nobody_waiting(tmp_path: Path, kind: str) -> None:
    async with open_world(tmp_path) as world:
        for home in (".claude", "archive"):
            world.offer(f"{home}/projects/-p/memory/MEMORY.md", "- pnpm\n")
            settings = world.home / home / "settings.json"
            match kind:
                case "pipe":
                    os.mkfifo(settings)
                case "device":
                    settings.symlink_to("/dev/zero")
                case "folder":
                    settings.mkdir()
                case _:
                    settings.symlink_to("nothing")
        with trio.fail_after(60):
            for named in (None, world.home / "archive"):
                assert list(states(await world.preview("claude-code", named))) == [
                    "claude-code/-p/memory/MEMORY.md"
                ]


async def test_the_users_own_settings_may_be_a_link_and_those_of_others_not(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        settings = world.offer("dotfiles/claude.json", f'{{"autoMemoryDirectory": "{world.home}/archive/a"}}')
        world.offer("archive/a/x.md", "- x\n")
        for home in (".claude", "archive"):
            world.offer(f"{home}/projects/-p/memory/MEMORY.md", "- pnpm\n")
            (world.home / home / "settings.json").symlink_to(settings)
        assert len((await world.preview("claude-code")).files) == 2
        assert len((await world.preview("claude-code", world.home / "archive")).files) == 1


async def test_a_folder_with_a_name_that_cannot_be_is_left_out(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.offer(".claude/projects/-p/memory/MEMORY.md", "- pnpm\n")
        world.offer(".claude/settings.json", f'{{"autoMemoryDirectory": "/{"x" * 300}"}}')
        preview = await world.preview("claude-code")
        assert list(states(preview)) == ["claude-code/-p/memory/MEMORY.md"]
        assert reasons(preview) == {"autoMemoryDirectory/": "unreadable"}


@pytest.mark.parametrize("name", ["x" * 300, "a\0b"])
async def test_a_path_that_cannot_be_is_as_one_that_is_missing(tmp_path: Path, name: str) -> None:
    async with open_world(tmp_path) as world:
        with pytest.raises(InvalidParamsError) as refused:
            await world.preview("path", world.home / name)
        assert (refused.value.field, refused.value.reason) == ("from", "missing")


async def test_an_installation_that_cannot_be_listed_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_path: Path) -> Iterator[Path]:
        raise PermissionError(13, "Permission denied")

    async with open_world(tmp_path) as world:
        world.offer(".openclaw/workspace/MEMORY.md", "- x\n")
        monkeypatch.setattr(os, "listdir", refuse)
        assert reasons(await world.preview("openclaw")) == {".openclaw/": "unreadable"}


async def test_a_project_cannot_name_another_folder(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.offer("secret/x.md", "- x\n")
        settings = f'{{"autoMemoryDirectory": "{world.home}/secret"}}'
        world.offer(".claude/projects/-p/.claude/settings.json", settings)
        world.offer(".claude/projects/-p/settings.json", settings)
        assert (await world.preview("claude-code")).files == ()


async def test_settings_of_others_cannot_name_a_folder_of_this_machine(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.offer("private/x.md", "- private\n")
        world.offer("archive/inner/y.md", "- theirs\n")
        world.offer("archive/projects/-p/memory/MEMORY.md", "- pnpm\n")
        settings = world.home / "archive/settings.json"
        settings.write_text(f'{{"autoMemoryDirectory": "{world.home}/private"}}')
        assert list(states(await world.preview("claude-code", world.home / "archive"))) == [
            "claude-code/-p/memory/MEMORY.md"
        ]
        settings.write_text(f'{{"autoMemoryDirectory": "{world.home}/archive/inner"}}')
        assert len((await world.preview("claude-code", world.home / "archive")).files) == 2


@pytest.mark.parametrize(("source", "folder"), [("codex", "memories"), ("claude-code", "projects")])
async def test_a_link_in_the_place_of_the_memories_is_not_followed(
    tmp_path: Path, source: Source, folder: str
) -> None:
    async with open_world(tmp_path) as world:
        world.offer("private/MEMORY.md", "- private\n")
        world.offer("private/p/memory/x.md", "- private\n")
        world.offer("archive/other.md", "- x\n")
        (world.home / "archive" / folder).symlink_to(world.home / "private")
        preview = await world.preview(source, world.home / "archive")
        assert preview.files == ()
        assert reasons(preview) == {f"{folder}/": "symlink"}


async def test_everything_that_is_left_out_has_its_reason(tmp_path: Path) -> None:
    rules = FileRules.parse(file_bytes=1000)
    async with open_world(tmp_path, rules) as world:
        outside = world.offer("outside/secret.md", "- secret\n")
        world.offer("notes/good.md", "- good\n")
        world.offer("notes/large.md", "x" * 1001)
        world.offer("notes/binary.md", b"a\0b")
        world.offer("notes/latin.md", "caf\xe9".encode("latin-1"))
        world.offer("notes/.hidden.md", "- hidden\n")
        world.offer("notes/.git/config.md", "- git\n")
        world.offer("notes/node_modules/x.md", "- x\n")
        world.offer("notes/a.png", b"png")
        world.offer("notes/b.png", b"png")
        (world.home / "notes/link.md").symlink_to(outside)
        (world.home / "notes/up").symlink_to(world.home / "outside")
        os.mkfifo(world.home / "notes/pipe.md")
        (world.home / os.fsdecode(b"notes/\xff.md")).write_text("- odd\n")
        done = await world.apply("path", world.home / "notes")
        assert list(world.files()) == ["memory/imports/path/notes/good.md"]
        assert reasons(done.preview) == {
            "notes/": "not_markdown",
            "notes/.git/": "tool_folder",
            "notes/\\xff.md": "name_not_utf8",
            "notes/binary.md": "binary",
            "notes/large.md": "too_large",
            "notes/latin.md": "not_utf8",
            "notes/link.md": "symlink",
            "notes/node_modules/": "tool_folder",
            "notes/pipe.md": "not_regular",
            "notes/up": "symlink",
        }


async def test_names_that_other_file_systems_take_for_the_same_are_not_both_imported(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.offer("notes/Caf\u00e9.md", "- composed\n")
        world.offer("notes/Cafe\u0301.md", "- decomposed\n")
        world.offer("notes/readme.md", "- small\n")
        world.offer("notes/README.md", "- large\n")
        world.offer("notes/Sub/x.md", "- one\n")
        world.offer("notes/sub/y.md", "- two\n")
        done = await world.apply("path", world.home / "notes")
        assert done.copied == 3
        assert sorted(reasons(done.preview).values()) == ["twin"] * 3


async def test_a_name_that_has_a_twin_in_the_workspace_is_left_out(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.write("memory/imports/codex/memory.MD", "- mine\n")
        world.offer(".codex/memories/MEMORY.md", "- theirs\n")
        done = await world.apply("codex", replace=True)
        assert (done.copied, reasons(done.preview)) == (0, {"memory/imports/codex/MEMORY.md": "twin"})


async def test_odd_names_stay_names(tmp_path: Path) -> None:
    names = ["a%2f..%2fx.md", "a\\..\\x.md", "a\nb.md", "-rf.md", "CON.md", "$(x).md", "a;b.md"]
    async with open_world(tmp_path) as world:
        for name in names:
            world.offer(f"notes/{name}", "- x\n")
        done = await world.apply("path", world.home / "notes")
        assert sorted(world.files()) == sorted(f"memory/imports/path/notes/{name}" for name in names)
        await world.imports.undo(done.id or "")
        assert world.files() == {}


async def test_the_workspace_is_not_imported_into_itself(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.write("memory/imports/codex/MEMORY.md", "- mine\n")
        for inside in ("", "memory", "memory/imports"):
            preview = await world.preview("path", world.folder / inside)
            assert preview.files == ()
            assert set(reasons(preview).values()) == {"own_memory"}


async def test_a_folder_that_holds_the_workspace_is_imported_without_it(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        world.write("memory/2026-01-11.md", "- mine\n")
        world.offer("x.md", "- x\n")
        preview = await world.preview("path", tmp_path)
        assert [one.origin for one in preview.files] == [f"{tmp_path.name}/home/x.md"]
        assert reasons(preview)[f"{tmp_path.name}/workspace/"] == "own_memory"


async def test_huge_trees_end_at_the_limits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_world(tmp_path, FileRules.parse(files=3)) as world:
        for number in range(5):
            world.offer(f"notes/{number}.md", f"- {number}\n")
        preview = await world.preview("path", world.home / "notes")
        assert len(preview.files) == 3
        assert set(reasons(preview).values()) == {"too_many"}
    async with open_world(tmp_path) as world:
        monkeypatch.setattr(collecting, "MOST_BYTES", 9)
        preview = await world.preview("path", world.home / "notes")
        assert len(preview.files) == 2
        assert list(reasons(preview).values()) == ["too_much"] * 3


async def test_a_path_that_would_be_too_long_is_left_out(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        folder = os.open(world.home, os.O_RDONLY)
        for _ in range(20):
            os.mkdir("d" * 200, dir_fd=folder)
            deeper = os.open("d" * 200, os.O_RDONLY, dir_fd=folder)
            os.close(folder)
            folder = deeper
        os.close(os.open("x.md", os.O_CREAT | os.O_WRONLY, dir_fd=folder))
        os.close(folder)
        preview = await world.preview("path", world.home)
        assert preview.files == ()
        assert set(reasons(preview).values()) == {"name_too_long"}


async def test_one_file_may_be_named_and_must_be_markdown(tmp_path: Path) -> None:
    async with open_world(tmp_path) as world:
        one = world.offer("notes/one.md", "- one\n")
        world.offer("notes/two.md", "- two\n")
        assert list(states(await world.preview("path", one))) == ["path/one.md"]
        with pytest.raises(Exception, match="Markdown"):
            await world.preview("path", world.offer("notes/x.txt", "x"))


@pytest.mark.parametrize(("folder", "below"), [(".vault", "vault"), ("venv", "venv_")])
async def test_a_folder_whose_name_is_never_read_gets_another(
    tmp_path: Path, folder: str, below: str
) -> None:
    async with open_world(tmp_path) as world:
        world.offer(f"{folder}/x.md", "- x\n")
        assert list(states(await world.preview("path", world.home / folder))) == [f"path/{below}/x.md"]
