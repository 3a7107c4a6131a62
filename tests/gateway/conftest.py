"""What every test of the gateway needs before it starts."""

import warnings

with warnings.catch_warnings():
    warnings.filterwarnings("ignore", r"(read|open)_text is deprecated", DeprecationWarning)
    import jsonrpcserver  # noqa: F401 - it reads its schema in a deprecated way, once, when imported
