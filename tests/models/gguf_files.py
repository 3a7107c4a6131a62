"""Tiny GGUF files, written by hand."""

import struct

STRING, U32, BOOL, ARRAY = 8, 4, 7, 9


def _string(text: str) -> bytes:
    raw = text.encode()
    return struct.pack("<Q", len(raw)) + raw


def _entry(key: str, value: str | int | list[str]) -> bytes:
    match value:
        case str():
            return _string(key) + struct.pack("<I", STRING) + _string(value)
        case int():
            return _string(key) + struct.pack("<II", U32, value)
        case list():
            items = b"".join(_string(item) for item in value)
            return _string(key) + struct.pack("<IIQ", ARRAY, STRING, len(value)) + items


def gguf_bytes(
    *,
    architecture: str = "bert",
    pooling: int | None = 1,
    version: int = 3,
    name: str = "tiny",
    weights: bytes = bytes(256),
) -> bytes:
    """A GGUF with one tensor of float32."""
    entries: dict[str, str | int | list[str]] = {
        "general.architecture": architecture,
        "general.name": name,
        f"{architecture}.context_length": 512,
        f"{architecture}.embedding_length": 64,
        "tokenizer.ggml.tokens": ["a", "b", "Ω"],
    }
    if pooling is not None:
        entries[f"{architecture}.pooling_type"] = pooling
    head = b"GGUF" + struct.pack("<IQQ", version, 1, len(entries))
    head += b"".join(_entry(key, value) for key, value in entries.items())
    head += _string("token_embd.weight") + struct.pack("<IQIQ", 1, len(weights) // 4, 0, 0)
    return head + bytes(-len(head) % 32) + weights
