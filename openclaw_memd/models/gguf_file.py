"""The header of a GGUF file, read by hand: enough to tell an embedding model from everything else.

Layout: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md
"""

import mmap
import struct
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

MAGIC = b"GGUF"
_VERSIONS = (2, 3)
_MAX_ITEMS = 10_000_000  # of one array, or of keys and tensors: beyond it the header is garbage

_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9

# (elements, bytes) of one block of each ggml type; the end of a tensor of another type is not checked
_BLOCKS = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 9: (32, 36),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292), 30: (1, 2),
}  # fmt: skip

_ENCODERS = frozenset(
    {
        *("bert", "nomic-bert", "nomic-bert-moe", "modern-bert", "neo-bert"),
        *("jina-bert-v2", "jina-bert-v3", "eurobert", "gemma-embedding"),
    }
)
_POOLS_TO_ONE_VECTOR = (1, 2, 3)  # mean, first token, last token
_POOLS_TO_RANK = 4

_SAMPLE_BYTES = 65_536
_SAMPLES = 64


class GgufError(Exception):
    """The file is not a GGUF that memd can embed with; the message says why."""


@dataclass(frozen=True, slots=True)
class GgufHeader:
    """What a GGUF says of itself. ``context_tokens`` and ``dims`` are 0 where the file does not say."""

    version: int
    architecture: str
    name: str
    context_tokens: int
    dims: int
    pooling: int | None
    data_end: int
    size_bytes: int


class _Reader:
    def __init__(self, data: mmap.mmap) -> None:
        self.data = data
        self.at = 0

    def unpack(self, code: str) -> int | float | bool:
        (value,) = struct.unpack_from("<" + code, self.data, self.at)
        self.at += struct.calcsize("<" + code)
        return value  # type: ignore[no-any-return]

    def count(self) -> int:
        value = int(self.unpack("Q"))
        if value > _MAX_ITEMS:
            raise GgufError("the GGUF header is damaged")
        return value

    def string(self) -> str:
        length = self.count()
        raw = self.data[self.at : self.at + length]
        if len(raw) < length:
            raise GgufError("the GGUF file is cut short")
        self.at += length
        return raw.decode("utf-8", "replace")

    def value(self, kind: int) -> object:
        if kind in _SCALARS:
            return self.unpack(_SCALARS[kind])
        if kind == _STRING:
            return self.string()
        if kind != _ARRAY:
            raise GgufError("the GGUF header is damaged")
        item, length = int(self.unpack("I")), self.count()
        if item in _SCALARS:
            self.at += length * struct.calcsize("<" + _SCALARS[item])
        else:
            for _ in range(length):
                self.value(item)
        return None


def read_header(path: Path) -> GgufHeader:
    """The header of the file at ``path``.

    Raises:
        GgufError: it is no GGUF, of an unknown version, damaged or cut short.
        OSError: it cannot be read.
    """
    size = path.stat().st_size
    if size < 24:
        raise GgufError("the file is not a GGUF")
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        try:
            return _parse(_Reader(data), size)
        except (struct.error, RecursionError):
            raise GgufError("the GGUF file is cut short") from None


def _parse(reader: _Reader, size: int) -> GgufHeader:
    if reader.data[:4] != MAGIC:
        raise GgufError("the file is not a GGUF")
    reader.at = 4
    version = int(reader.unpack("I"))
    if version not in _VERSIONS:
        raise GgufError(f"GGUF version {version} is not supported (2 and 3 are)")
    tensors, keys = reader.count(), reader.count()
    values: dict[str, object] = {}
    for _ in range(keys):
        key = reader.string()
        values[key] = reader.value(int(reader.unpack("I")))
    end = 0
    for _ in range(tensors):
        end = max(end, _tensor_end(reader))
    alignment = _int(values.get("general.alignment")) or 32
    start = -(-reader.at // alignment) * alignment
    architecture = str(values.get("general.architecture", ""))
    pooling = values.get(f"{architecture}.pooling_type")
    return GgufHeader(
        version=version,
        architecture=architecture,
        name=str(values.get("general.name", "")),
        context_tokens=_int(values.get(f"{architecture}.context_length")),
        dims=_int(values.get(f"{architecture}.embedding_length")),
        pooling=None if pooling is None else _int(pooling),
        data_end=start + end,
        size_bytes=size,
    )


def _int(value: object) -> int:
    return value if isinstance(value, int) else 0


def _tensor_end(reader: _Reader) -> int:
    reader.string()
    elements = 1
    for _ in range(int(reader.unpack("I"))):
        elements *= int(reader.unpack("Q"))
    kind, offset = int(reader.unpack("I")), int(reader.unpack("Q"))
    per_block, block_bytes = _BLOCKS.get(kind, (1, 0))
    return offset + elements // per_block * block_bytes


def check_embedding_model(path: Path) -> GgufHeader:
    """The header of the file at ``path``, known to be a whole embedding model.

    Raises:
        GgufError: it is something else; the message says what.
        OSError: it cannot be read.
    """
    header = read_header(path)
    if header.data_end > header.size_bytes:
        missing = header.data_end - header.size_bytes
        raise GgufError(f"the GGUF file is cut short: {missing} bytes are missing")
    if header.pooling == _POOLS_TO_RANK:
        raise GgufError("the GGUF is a reranker, not an embedding model")
    if header.architecture not in _ENCODERS and header.pooling not in _POOLS_TO_ONE_VECTOR:
        kind = header.architecture[:40] or "unknown"
        raise GgufError(f"the GGUF is not an embedding model (architecture {kind}, no pooling)")
    return header


def fingerprint(path: Path) -> str:
    """A digest that tells model files apart without reading all of them.

    It covers the size and 64 evenly spaced blocks of 64 KiB: a few milliseconds, and two models that differ
    in their weights differ there.

    Raises:
        OSError: the file cannot be read.
    """
    size = path.stat().st_size
    digest = sha256(str(size).encode())
    last = max(0, size - _SAMPLE_BYTES)
    with path.open("rb") as file:
        for index in range(_SAMPLES):
            file.seek(last * index // (_SAMPLES - 1))
            digest.update(file.read(_SAMPLE_BYTES))
    return digest.hexdigest()
