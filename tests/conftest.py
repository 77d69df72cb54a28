"""What holds for all tests."""

import signal

from hypothesis import HealthCheck, settings

# Tests look at behaviour, not at the clock: a busy machine or a sanitizer must not fail them.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")

# A shell starts background jobs with SIGINT ignored, and Python then leaves it so, for its children
# too. The tests of Ctrl-C would wait for ever.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
