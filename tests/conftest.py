"""What holds for every test."""

from hypothesis import settings

settings.register_profile("driftd", deadline=None)  # a first import or a busy machine is no failure of what is tested
settings.load_profile("driftd")
