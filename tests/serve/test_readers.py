"""Several people at once, for a moment: nobody is in the way of others. `make test-serve` has fifty, for a minute."""

from serve.readers import Load, run


def test_readers_at_once(tmp_path):
    seen = run(tmp_path / "folder", None, Load(readers=6, seconds=1.5, pause=0.1))
    assert seen.wrong == []
    assert set(seen.statuses) == set(range(6))
    assert set(seen.statuses[0]) <= {200, 409}
    assert all(set(statuses) == {200} for reader, statuses in seen.statuses.items() if reader)
