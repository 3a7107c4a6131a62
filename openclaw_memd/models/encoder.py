"""An embedding model in llama.cpp, through its C interface. Only the embedding process imports this.

llama.cpp aborts its process when it is given more tokens than a batch holds, or is used by two threads at
once, so everything is counted here and the caller keeps to one thread at a time.
"""

import ctypes
import mmap
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import llama_cpp
import numpy as np

from openclaw_memd.models.llama import repacks_safely, start_llama

if TYPE_CHECKING:
    from openclaw_memd.ports import Vectors

_BATCH_TOKENS = 512
_BATCH_SEQUENCES = 16
_LEAST_NORM = 1e-6


class ModelError(Exception):
    """llama.cpp cannot load the file, or cannot embed a text."""


class Encoder:
    """A loaded model. ``dims`` is the length of its vectors, ``max_tokens`` what it reads of a text."""

    def __init__(self, path: str, *, threads: int, max_tokens: int) -> None:
        start_llama()
        model_params = llama_cpp.llama_model_default_params()
        model_params.n_gpu_layers = 0
        model_params.use_extra_bufts = repacks_safely()
        self._model = llama_cpp.llama_model_load_from_file(path.encode(), model_params)
        if not self._model:
            raise ModelError("llama.cpp cannot load the model")
        params = llama_cpp.llama_context_default_params()
        params.n_ctx = params.n_batch = params.n_ubatch = _BATCH_TOKENS
        params.n_seq_max = _BATCH_SEQUENCES
        params.n_threads = params.n_threads_batch = threads
        params.embeddings = True
        params.kv_unified = True
        params.offload_kqv = False
        params.no_perf = True
        params.flash_attn_type = llama_cpp.LLAMA_FLASH_ATTN_TYPE_ENABLED
        self._context = llama_cpp.llama_init_from_model(self._model, params)
        if not self._context:
            raise ModelError("llama.cpp cannot make a context for the model")
        if llama_cpp.llama_pooling_type(self._context) == llama_cpp.LLAMA_POOLING_TYPE_NONE:
            raise ModelError("the model gives no vector for a whole text")
        self._vocabulary = llama_cpp.llama_model_get_vocab(self._model)
        self._memory = llama_cpp.llama_get_memory(self._context)
        self._batch = llama_cpp.llama_batch_init(_BATCH_TOKENS, 0, 1)
        self._largest_batch_tokens = 0
        self.dims: int = llama_cpp.llama_model_n_embd(self._model)
        trained = llama_cpp.llama_model_n_ctx_train(self._model)
        self.max_tokens = min(_BATCH_TOKENS, trained, max_tokens)

    def embed(self, texts: list[str]) -> "tuple[Vectors, int]":
        """Vectors of norm 1, shape (len(texts), dims), and how many texts were too long and lost their end.

        A vector that is not finite or has no length comes as zeros.

        Raises:
            ModelError: llama.cpp refused.
        """
        sequences = [self._tokenize(text) for text in texts]
        fitting = [_cut(tokens, self.max_tokens) for tokens in sequences]
        cut = sum(len(short) < len(tokens) for short, tokens in zip(fitting, sequences, strict=True))
        rows = np.zeros((len(texts), self.dims), np.float32)
        for first, batch in _batches(fitting):
            self._encode(batch)
            for index in range(len(batch)):
                vector = llama_cpp.llama_get_embeddings_seq(self._context, index)
                if not vector:
                    raise ModelError("llama.cpp gave no vector")
                rows[first + index] = np.ctypeslib.as_array(vector, (self.dims,))
        norms = np.linalg.norm(rows, axis=1, keepdims=True)
        usable = np.isfinite(norms) & (norms > _LEAST_NORM)
        return np.where(usable, rows / np.where(usable, norms, 1.0), 0.0).astype(np.float32), cut

    def _tokenize(self, text: str) -> list[int]:
        raw = text.encode()
        room = len(raw) + 8
        while True:
            buffer = (llama_cpp.llama_token * room)()
            count = llama_cpp.llama_tokenize(self._vocabulary, raw, len(raw), buffer, room, True, False)
            if count >= 0:
                return list(buffer[:count])
            room = -count

    def _encode(self, sequences: list[list[int]]) -> None:
        batch = self._batch
        at = 0
        for index, tokens in enumerate(sequences):
            for position, token in enumerate(tokens):
                batch.token[at] = token
                batch.pos[at] = position
                batch.n_seq_id[at] = 1
                batch.seq_id[at][0] = index
                batch.logits[at] = True
                at += 1
        batch.n_tokens = at
        if self._memory:  # a decoder; an encoder remembers nothing between texts
            llama_cpp.llama_memory_clear(self._memory, True)
            failed = llama_cpp.llama_decode(self._context, batch)
        else:
            failed = llama_cpp.llama_encode(self._context, batch)
        if failed:
            raise ModelError("llama.cpp cannot embed the text")
        if at > self._largest_batch_tokens:
            self._largest_batch_tokens = at
            self._give_back_logits()

    def _give_back_logits(self) -> None:
        """Give back the memory for logits, which embedding does not fill.

        llama.cpp clears a number for each token of the largest batch and each word of the vocabulary: half a
        gigabyte for 250 000 words. It is mapped still, and costs memory again only where it is written.
        """
        logits = ctypes.cast(llama_cpp.llama_get_logits(self._context), ctypes.c_void_p).value
        if logits is None or sys.platform != "linux":
            return
        words = llama_cpp.llama_vocab_n_tokens(self._vocabulary)
        end = logits + self._largest_batch_tokens * words * ctypes.sizeof(ctypes.c_float)
        first, last = -(-logits // mmap.PAGESIZE), end // mmap.PAGESIZE
        if first < last:
            ctypes.CDLL(None).madvise(
                ctypes.c_void_p(first * mmap.PAGESIZE),
                ctypes.c_size_t((last - first) * mmap.PAGESIZE),
                mmap.MADV_DONTNEED,
            )


def _cut(tokens: list[int], most: int) -> list[int]:
    """At most ``most`` of ``tokens``, with the end token that the model was trained with."""
    return tokens if len(tokens) <= most else [*tokens[: most - 1], tokens[-1]]


def _batches(sequences: list[list[int]]) -> Iterator[tuple[int, list[list[int]]]]:
    """Runs of ``sequences`` that fit into one batch, each with the place of its first."""
    first, batch, tokens = 0, list[list[int]](), 0
    for index, sequence in enumerate(sequences):
        if batch and (tokens + len(sequence) > _BATCH_TOKENS or len(batch) == _BATCH_SEQUENCES):
            yield first, batch
            first, batch, tokens = index, [], 0
        batch.append(sequence)
        tokens += len(sequence)
    if batch:
        yield first, batch
