"""What everybody who loads a model with llama.cpp has to know. Only a model's process imports this."""

import ctypes

import llama_cpp


@llama_cpp.llama_log_callback  # type: ignore[untyped-decorator]
def _discard(_level: int, _text: bytes, _data: object) -> None:
    """llama.cpp's log lines hold paths and go to stderr."""


def start_llama() -> None:
    """Start llama.cpp, without a log; to be called before a model is loaded."""
    llama_cpp.llama_log_set(_discard, ctypes.c_void_p(0))
    llama_cpp.llama_backend_init()


def repacks_safely() -> bool:
    """Whether llama.cpp may use its repacked weights.

    Built for AMX by gcc, its tile configuration is lost to the optimiser and the first product ends in SIGILL
    (https://github.com/ggml-org/llama.cpp/pull/26954); without repacking AMX is not used.
    """
    return b"AMX_INT8 = 1" not in llama_cpp.llama_print_system_info()
