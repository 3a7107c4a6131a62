"""Settings for every test."""

from hypothesis import settings

# No deadline: a busy machine must not turn a law into a flaky test.
settings.register_profile("memd", deadline=None, print_blob=True)
settings.load_profile("memd")
