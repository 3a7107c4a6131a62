"""The real models are those of the tests of models."""

from tests.models.conftest import models_dir

__all__ = ["models_dir"]
