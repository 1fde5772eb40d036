"""Profiles: names, and that every decision is printed."""

import pytest

from adjudge.errors import UsageError
from adjudge.tasks.eal.settings import PROFILES, SPEC, Profile, get_profile


def test_names():
    assert {"spec", "bbn-2015", "bbn-2014"} <= set(PROFILES)
    assert next(iter(PROFILES)) == "spec"
    assert get_profile("spec") == SPEC == Profile()
    assert get_profile(PROFILES["bbn-2014"]) is PROFILES["bbn-2014"]
    assert all(profile.name == name and profile.about for name, profile in PROFILES.items())
    with pytest.raises(UsageError, match="did you mean bbn-2015"):
        get_profile("bbn2015")


@pytest.mark.parametrize("profile", PROFILES.values(), ids=PROFILES)
def test_every_decision_is_printed(profile):
    assert {*profile.decisions(), "name", "about"} == set(Profile.__struct_fields__)


def test_no_two_profiles_are_the_same():
    for one in PROFILES.values():
        assert one.differences(one) == {}
        assert all(one.differences(other) for other in PROFILES.values() if other is not one)
