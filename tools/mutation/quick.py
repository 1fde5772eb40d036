"""A pytest plugin for runs with a mutant: hypothesis stops at the first failing example instead of shrinking it."""

from hypothesis import Phase, settings

settings.register_profile("mutation", deadline=None, derandomize=True, phases=(Phase.explicit, Phase.generate))
