"""Settings for every test."""

import os

from hypothesis import settings

# No deadline: a busy machine must not turn a law into a flaky test.
settings.register_profile(
    "memd", deadline=None, print_blob=True, max_examples=int(os.environ.get("MEMD_EXAMPLES", "30"))
)
settings.load_profile("memd")
