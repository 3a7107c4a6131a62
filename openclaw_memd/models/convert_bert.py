"""A BERT encoder in the Hugging Face layout (safetensors, vocab.txt, config.json) into a Q8_0 GGUF."""

import struct
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from numpy.typing import NDArray

_DTYPES = {"F32": "<f4", "F16": "<f2"}
_CONTROL = frozenset({"[PAD]", "[CLS]", "[SEP]", "[MASK]"})
_EMBEDDINGS = {
    "word_embeddings.weight": "token_embd.weight",
    "token_type_embeddings.weight": "token_types.weight",
    "position_embeddings.weight": "position_embd.weight",
    "LayerNorm.weight": "token_embd_norm.weight",
    "LayerNorm.bias": "token_embd_norm.bias",
}
_LAYER = {
    "attention.self.query": "attn_q",
    "attention.self.key": "attn_k",
    "attention.self.value": "attn_v",
    "attention.output.dense": "attn_output",
    "attention.output.LayerNorm": "attn_output_norm",
    "intermediate.dense": "ffn_up",
    "output.dense": "ffn_down",
    "output.LayerNorm": "layer_output_norm",
}
_ALWAYS_F32 = frozenset({"token_types.weight", "position_embd.weight"})  # llama.cpp adds them unconverted


class _Config(msgspec.Struct):
    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    intermediate_size: int
    max_position_embeddings: int
    vocab_size: int
    layer_norm_eps: float
    type_vocab_size: int = 1


def convert_bert(folder: Path, target: Path, name: str) -> None:
    """Write the model in ``folder`` (mean pooling) to ``target`` as a GGUF called ``name``.

    Raises:
        ValueError: a file in the folder is not of the known kind.
        OSError: a file cannot be read, or the target cannot be written.
        ImportError: the ``gguf`` package is not installed.
    """
    import gguf

    try:
        config = msgspec.json.decode((folder / "config.json").read_bytes(), type=_Config)
        tensors = _read_safetensors(folder / "model.safetensors")
    except (msgspec.MsgspecError, KeyError, struct.error) as error:
        raise ValueError("the model folder is damaged") from error
    words = (folder / "vocab.txt").read_text(encoding="utf-8").removesuffix("\n").split("\n")
    if len(words) != config.vocab_size:
        raise ValueError("the vocabulary does not fit the model")
    writer = gguf.GGUFWriter(target, "bert")
    writer.add_name(name)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_Q8_0)
    writer.add_context_length(config.max_position_embeddings)
    writer.add_embedding_length(config.hidden_size)
    writer.add_feed_forward_length(config.intermediate_size)
    writer.add_block_count(config.num_hidden_layers)
    writer.add_head_count(config.num_attention_heads)
    writer.add_layer_norm_eps(config.layer_norm_eps)
    writer.add_causal_attention(False)
    writer.add_pooling_type(gguf.PoolingType.MEAN)
    writer.add_token_type_count(config.type_vocab_size)
    _add_vocabulary(writer, words)
    for theirs, ours in _tensor_names(config.num_hidden_layers).items():
        _add_tensor(writer, ours, tensors[theirs])
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _read_safetensors(path: Path) -> "dict[str, NDArray[Any]]":
    """Tensors by name. Layout: eight bytes of header length, a JSON header, the data."""
    import numpy as np

    data = path.read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = msgspec.json.decode(data[8 : 8 + length])
    body = np.frombuffer(data, np.uint8, offset=8 + length)
    tensors = {}
    for key, entry in header.items():
        if key != "__metadata__" and entry["dtype"] in _DTYPES:
            start, end = entry["data_offsets"]
            flat = body[start:end].view(_DTYPES[entry["dtype"]])
            tensors[key.removeprefix("bert.")] = flat.reshape(entry["shape"])
    return tensors


def _tensor_names(layers: int) -> dict[str, str]:
    names = {f"embeddings.{theirs}": ours for theirs, ours in _EMBEDDINGS.items()}
    for layer in range(layers):
        for theirs, ours in _LAYER.items():
            for part in ("weight", "bias"):
                names[f"encoder.layer.{layer}.{theirs}.{part}"] = f"blk.{layer}.{ours}.{part}"
    return names


def _add_tensor(writer: Any, name: str, tensor: "NDArray[Any]") -> None:
    import gguf
    import numpy as np

    weights = np.ascontiguousarray(tensor, dtype=np.float32)
    if weights.ndim == 1 or name in _ALWAYS_F32:
        writer.add_tensor(name, weights)
        return
    q8_0 = gguf.GGMLQuantizationType.Q8_0
    writer.add_tensor(name, gguf.quants.quantize(weights, q8_0), raw_dtype=q8_0)


def _add_vocabulary(writer: Any, words: list[str]) -> None:
    import gguf

    ids = {word: index for index, word in enumerate(words)}
    writer.add_tokenizer_model("bert")
    writer.add_token_list([_piece(word) for word in words])
    writer.add_token_types([_token_type(gguf.TokenType, word) for word in words])
    writer.add_bos_token_id(ids["[CLS]"])
    writer.add_sep_token_id(ids["[SEP]"])
    writer.add_pad_token_id(ids["[PAD]"])
    writer.add_unk_token_id(ids["[UNK]"])
    writer.add_mask_token_id(ids["[MASK]"])


def _is_special(word: str) -> bool:
    return word in _CONTROL or word == "[UNK]" or word.startswith("[unused")


def _piece(word: str) -> str:
    """``word`` as llama.cpp writes WordPiece: a word's start is marked, a continuation is bare."""
    if _is_special(word):
        return word
    return word[2:] if word.startswith("##") else "\u2581" + word


def _token_type(kinds: Any, word: str) -> Any:
    if word in _CONTROL:
        return kinds.CONTROL
    if word == "[UNK]":
        return kinds.UNKNOWN
    return kinds.UNUSED if word.startswith("[unused") else kinds.NORMAL
