from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from openclaw_memd.models.gguf_file import GgufError, check_embedding_model, fingerprint, read_header
from tests.models.gguf_files import gguf_bytes


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "model.gguf"


def test_reads_what_a_model_says_of_itself(path: Path) -> None:
    path.write_bytes(gguf_bytes())

    header = check_embedding_model(path)

    assert (header.architecture, header.name) == ("bert", "tiny")
    assert (header.dims, header.context_tokens, header.pooling) == (64, 512, 1)
    assert header.data_end == header.size_bytes


@pytest.mark.parametrize(
    "content", [b"", b"GGUF", b"PK\x03\x04" + bytes(100), b"<!DOCTYPE html>" * 10, bytes(64)]
)
def test_a_file_of_another_kind_is_refused(path: Path, content: bytes) -> None:
    path.write_bytes(content)

    with pytest.raises(GgufError):
        check_embedding_model(path)


def test_a_file_cut_anywhere_is_refused(path: Path) -> None:
    whole = gguf_bytes()
    for length in range(0, len(whole), 3):
        path.write_bytes(whole[:length])
        with pytest.raises(GgufError):
            check_embedding_model(path)


def test_missing_weights_are_counted(path: Path) -> None:
    path.write_bytes(gguf_bytes()[:-10])

    with pytest.raises(GgufError, match="10 bytes are missing"):
        check_embedding_model(path)


def test_an_unknown_version_is_refused(path: Path) -> None:
    path.write_bytes(gguf_bytes(version=99))

    with pytest.raises(GgufError, match="version 99"):
        read_header(path)


def test_a_chat_model_is_refused_by_its_kind(path: Path) -> None:
    path.write_bytes(gguf_bytes(architecture="llama", pooling=None))

    with pytest.raises(GgufError, match="llama"):
        check_embedding_model(path)


def test_a_decoder_that_pools_is_an_embedding_model(path: Path) -> None:
    path.write_bytes(gguf_bytes(architecture="qwen3", pooling=3))

    assert check_embedding_model(path).architecture == "qwen3"


def test_a_reranker_is_refused(path: Path) -> None:
    path.write_bytes(gguf_bytes(pooling=4))

    with pytest.raises(GgufError, match="reranker"):
        check_embedding_model(path)


@given(st.data())
def test_a_damaged_file_is_refused_or_read_but_never_crashes(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    content = bytearray(gguf_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path = tmp_path_factory.getbasetemp() / "damaged.gguf"
    path.write_bytes(content)

    with suppress(GgufError):
        assert check_embedding_model(path).size_bytes == len(content)


def test_fingerprints_tell_files_apart(tmp_path: Path) -> None:
    weights = bytearray(8 * 1024 * 1024)
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    first.write_bytes(weights)
    third.write_bytes(weights)
    for at in range(0, len(weights), 4096):  # another training changes weights everywhere
        weights[at] = 1
    second.write_bytes(weights)

    assert fingerprint(first) == fingerprint(third) != fingerprint(second)


def test_the_fingerprint_of_a_small_file_covers_all_of_it(path: Path) -> None:
    seen = set()
    for at in range(40):
        content = bytearray(40)
        content[at] = 1
        path.write_bytes(content)
        seen.add(fingerprint(path))

    assert len(seen) == 40
