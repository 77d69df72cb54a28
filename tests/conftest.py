"""What holds for all tests."""

from hypothesis import HealthCheck, settings

# Tests look at behaviour, not at the clock: a busy machine or a sanitizer must not fail them.
settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")
