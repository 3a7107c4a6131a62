"""What a daemon is doing when it is killed at a point, and what must hold of it after the next start."""

import random
import sqlite3
from collections import Counter
from contextlib import closing, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tests.crash.points import Point
from tests.crash.writers import new_word
from tests.daemons import DaemonError, LineClient, RunningDaemon

OWNER: dict[str, Any] = {
    "session_id": "s1",
    "session_kind": "interactive",
    "chat_type": "direct",
    "channel": {"provider": "telegram", "account": "default", "conversation_id": "c1"},
    "sender": {"id": "u1", "is_owner": True},
}


class Scene:
    """``prepare`` comes before the point is armed, ``cut`` is the call that does not come back.

    ``check`` looks at the daemon that was started again. Words are new each time.
    """

    def __init__(self, daemon: RunningDaemon, rng: random.Random) -> None:
        self.daemon = daemon
        self.word = new_word(rng)
        self.other = new_word(rng)

    def prepare(self) -> None:
        """What has to be there."""

    def cut(self) -> None:
        raise NotImplementedError

    def check(self) -> None:
        raise NotImplementedError

    def ask(self, method: str, **params: Any) -> None:
        """Ask for what kills the daemon: no answer comes."""
        with suppress(OSError), LineClient(self.daemon.socket) as client:
            answer = client.call(method, **params)
            raise AssertionError(f"it was answered: {answer}")

    def ask_aloud(self, method: str, **params: Any) -> None:
        """Ask for what leads to the end, be it answered or not."""
        with suppress(OSError, DaemonError), LineClient(self.daemon.socket) as client:
            client.call(method, **params)

    def found(self, word: str) -> list[str]:
        """Where a search shows the word; by meaning it may show other places as well."""
        hits = self.daemon.call("recall.search", query=word)["hits"]
        return sorted({hit["path"] for hit in hits if word in hit["text"]})

    def lines(self) -> Counter[str]:
        """How often each line is in the workspace; comments at their ends are left out."""
        found: Counter[str] = Counter()
        for file in self.daemon.workspace.rglob("*.md"):
            found.update(line.partition(" <!--")[0] for line in file.read_text().splitlines())
        return found

    def value(self, sql: str) -> Any:
        with closing(sqlite3.connect(self.daemon.state_folder() / "state.db")) as connection:
            return connection.execute(sql).fetchone()[0]


class Append(Scene):
    """An accepted text is there once; here nothing was answered, so it is there once or not."""

    def prepare(self) -> None:
        self.daemon.call("note.append", text=f"- {self.other} came first", context=OWNER)

    def cut(self) -> None:
        self.ask("note.append", text=f"- {self.word} is noted", request_key=self.word, context=OWNER)

    def check(self) -> None:
        count = self.lines()[f"- {self.word} is noted"]
        assert count in (0, 1)
        again = self.daemon.call(
            "note.append", text=f"- {self.word} is noted", request_key=self.word, context=OWNER
        )
        assert (again.get("repeated", False), again["spooled"]) == (count == 1, False)
        lines = self.lines()
        assert lines[f"- {self.word} is noted"] == lines[f"- {self.other} came first"] == 1
        self.daemon.settle()
        assert self.found(self.word) == [again["path"]]


class Say(Scene):
    def messages(self) -> list[dict[str, Any]]:
        return [{"id": f"{self.word} {part}", "role": "user", "text": f"{self.word} {part}"} for part in "ab"]

    def cut(self) -> None:
        self.ask("session.append", messages=self.messages(), context=OWNER | {"session_id": self.word})

    def check(self) -> None:
        context = OWNER | {"session_id": self.word}
        answer = self.daemon.call("session.append", messages=self.messages(), context=context)
        assert answer["accepted"] in (0, 2), "a call is taken in as a whole"
        sessions = self.daemon.call("session.list", limit=200)["sessions"]
        (found,) = [one for one in sessions if one["session_id"] == self.word]
        assert found["messages"] == 2


class Spool(Scene):
    """The workspace is away while a text comes."""

    def prepare(self) -> None:
        answer = self.daemon.call("note.append", text=f"- {self.other}", slug=self.word, context=OWNER)
        self.note = self.daemon.workspace / answer["path"]
        self.aside = self.daemon.folder / self.word
        self.daemon.workspace.rename(self.aside)
        self.daemon.call("index.sync")  # until it is looked for, it is the folder that was moved

    def free(self) -> None:
        self.aside.rename(self.daemon.workspace)

    def append(self) -> Any:
        return {"text": f"- {self.word} waits", "slug": self.word, "request_key": self.word, "context": OWNER}

    def cut(self) -> None:
        self.ask("note.append", **self.append())
        self.free()

    def check(self) -> None:
        assert self.daemon.call("note.append", **self.append())["repeated"], (
            "it was accepted before the point"
        )
        self.daemon.wait_until(lambda: self.daemon.agent()["spool"]["items"] == 0)
        assert self.note.read_text().splitlines()[-2:] == [f"- {self.other}", f"- {self.word} waits"]


class Replay(Spool):
    """What waited is written once the workspace is back, by a daemon that is killed over it."""

    def prepare(self) -> None:
        super().prepare()
        assert self.daemon.call("note.append", **self.append())["spooled"]

    def cut(self) -> None:
        self.free()


class Reconcile(Replay):
    """What waited is written by the next start, which is killed over it."""

    def cut(self) -> None:
        self.daemon.kill()
        self.free()
        self.daemon.launch()


class Sync(Scene):
    def prepare(self) -> None:
        self.daemon.write(f"memory/{self.word}.md", f"{self.other} was there\n" + "padding\n\n" * 400)
        self.daemon.settle()

    def cut(self) -> None:
        self.daemon.write(f"memory/{self.word}.md", f"{self.word} is there\n" + "padding\n\n" * 300)
        self.ask("index.sync")

    def check(self) -> None:
        self.daemon.settle()
        assert self.found(self.word) == [f"memory/{self.word}.md"]
        assert self.found(self.other) == []


class Rebuild(Sync):
    def cut(self) -> None:
        self.daemon.write(f"memory/{self.word}.md", f"{self.word} is there\n")
        self.ask("index.rebuild", wait=True)

    def check(self) -> None:
        super().check()
        names = {path.name for path in self.daemon.state_folder().iterdir()}
        assert not [name for name in names if "building" in name]


class Trust(Scene):
    """What the index shows of a line is what the ledger says of it."""

    def prepare(self) -> None:
        self.daemon.write(f"memory/{self.word}.md", f"{self.word} is there\n")
        self.daemon.settle()

    def cut(self) -> None:
        self.ask("memory.trust", path=f"memory/{self.word}.md", origin="untrusted", context=OWNER)

    def check(self) -> None:
        self.daemon.settle()
        (hit,) = self.daemon.call("recall.search", query=self.word)["hits"]
        lowered = {"path": hit["path"], "start_line": 1, "end_line": 1, "origin": "untrusted"}
        changed = self.daemon.call("memory.trust", **lowered, context=OWNER)["changed"]
        assert changed == (hit["origin"] != "untrusted")


class Fill(Scene):
    """Vectors of a text that just came."""

    def cut(self) -> None:
        self.daemon.write(f"memory/{self.word}.md", f"{self.word} wants a vector\n")

    def check(self) -> None:
        self.daemon.settle()
        self.daemon.wait_until(lambda: self.daemon.agent()["vectors"] >= self.daemon.agent()["chunks"])
        assert self.found(self.word) == [f"memory/{self.word}.md"]


class Curated(Scene):
    def prepare(self) -> None:
        memory = self.daemon.workspace / "MEMORY.md"
        if not memory.exists():
            memory.write_text("# Memory\n\n")
        self.daemon.call("memory.remember", text=f"{self.other} came first", context=OWNER)

    def cut(self) -> None:
        self.ask("memory.remember", text=f"{self.word} is known", context=OWNER)

    def check(self) -> None:
        self.daemon.wait_until(lambda: not list(self.daemon.workspace.glob(".memd-*")))
        lines = self.lines()
        assert lines[f"- {self.other} came first"] == 1
        count = lines[f"- {self.word} is known"]
        assert count in (0, 1)
        causes = self.daemon.call("memory.history", file="MEMORY.md")["preimages"]
        assert causes
        self.daemon.call("memory.remember", text=f"{self.word} is known", context=OWNER)
        assert self.lines()[f"- {self.word} is known"] == 1
        assert self.value("SELECT count(*) FROM curated_rewrites WHERE 0") == 0


class Recover(Curated):
    """A start that finishes a rewrite which was cut off, and is killed over it."""

    def cut(self) -> None:
        arm = Path(self.daemon.env["KILL_AT"])
        wanted = arm.read_text()
        arm.write_text(str(Point("curated", "index.ledger.rewrites", "conclude_curated")))
        self.ask("memory.remember", text=f"{self.word} is known", context=OWNER)
        self.daemon.kill()
        arm.write_text(wanted)
        self.daemon.launch()


class Fire(Scene):
    """An intent is spent with the answer that brings it, or not at all."""

    def prepare(self) -> None:
        made = self.daemon.call(
            "intent.create", description=f"tell of {self.word}", keywords=[self.word], context=OWNER
        )
        self.id = made["intent"]["id"]

    def cut(self) -> None:
        self.ask("inject.turn", text=f"what of {self.word}?", turn_id=self.word, context=OWNER)

    def check(self) -> None:
        before = self.daemon.call("intent.get", id=self.id, context=OWNER)["intent"]["fire_count"]
        assert before in (0, 1)
        answers = [
            self.daemon.call("inject.turn", text=f"what of {self.word}?", turn_id=self.word, context=OWNER)
            for _ in range(2)
        ]
        assert answers[0]["intents"] == answers[1]["intents"]
        assert [one["intent"]["id"] for one in answers[0]["intents"]] == [self.id]
        assert self.daemon.call("intent.get", id=self.id, context=OWNER)["intent"]["fire_count"] == 1


class Night(Scene):
    """A fact that was asked for often enough is promoted once."""

    def fact(self) -> str:
        return f"The {self.word} of the hut hangs on a hook."

    def prepare(self) -> None:
        today = datetime.now(UTC).date()
        self.daemon.write(f"memory/{today}-{self.word}.md", f"- {self.fact()}\n")
        self.daemon.settle()
        self.recall()

    def recall(self) -> None:
        """Ask for it; what was asked just before a kill may not count."""
        with LineClient(self.daemon.socket) as client:
            for question in (self.word, f"the {self.word}", f"{self.word} hook", f"where is the {self.word}"):
                client.call("recall.search", query=question)

    def cut(self) -> None:
        self.ask("dream.run", wait=True)

    def check(self) -> None:
        assert self.lines()[f"- {self.fact()}"] <= 2
        self.daemon.settle()
        self.recall()
        for _ in range(2):
            assert self.daemon.call("dream.run", wait=True)["outcome"] == "completed"
            assert (self.daemon.workspace / "MEMORY.md").read_text().count(self.fact()) == 1
        page = (self.daemon.workspace / "DREAMS.md").read_text()
        assert page.count("<!-- openclaw:dreaming:deep:start -->") <= 1
        assert self.value("SELECT count(*) FROM promotions WHERE state != 'done'") == 0


class Forget(Scene):
    """A session is forgotten everywhere by the next call at the latest, and nothing else is."""

    def prepare(self) -> None:
        context = OWNER | {"session_id": f"of {self.other}"}
        self.daemon.call("note.append", text=f"- {self.word} is noted", context=context)
        self.daemon.call("note.append", text=f"- {self.other} stays", context=OWNER)
        said = [{"id": "1", "role": "user", "text": f"{self.word} is said"}]
        self.daemon.call("session.append", messages=said, context=context)
        self.daemon.settle()

    def forget(self) -> dict[str, Any]:
        return {"session_ids": [f"of {self.other}"], "dry_run": False, "wait": True}

    def cut(self) -> None:
        self.ask("forget", **self.forget())

    def check(self) -> None:
        self.daemon.call("forget", **self.forget())
        self.daemon.settle()
        assert self.lines()[f"- {self.other} stays"] == 1
        raw = self.word.encode()
        left = [path for path in self.daemon.workspace.rglob("*.md") if raw in path.read_bytes()]
        left += [path for path in self.daemon.state_folder().glob("*.db*") if raw in path.read_bytes()]
        assert [path.name for path in left] == []


class Migrate(Scene):
    """A start that is killed while it makes or changes a schema; the ledger keeps what it has."""

    def prepare(self) -> None:
        self.daemon.call("note.append", text=f"- {self.word} is noted", context=OWNER)

    def cut(self) -> None:
        self.daemon.kill()
        if "losses" in Path(self.daemon.env["KILL_AT"]).read_text():
            for part in self.daemon.state_folder().glob("state.db*"):
                part.unlink()
        self.daemon.launch()

    def check(self) -> None:
        assert self.lines()[f"- {self.word} is noted"] == 1
        self.daemon.settle()
        assert len(self.found(self.word)) == 1


SCENES: dict[str, type[Scene]] = {
    "append": Append,
    "say": Say,
    "spool": Spool,
    "replay": Replay,
    "reconcile": Reconcile,
    "sync": Sync,
    "rebuild": Rebuild,
    "trust": Trust,
    "fill": Fill,
    "curated": Curated,
    "recover": Recover,
    "fire": Fire,
    "night": Night,
    "forget": Forget,
    "migrate": Migrate,
}
