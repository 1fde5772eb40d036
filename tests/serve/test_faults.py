"""A few submissions whose children fail, on servers that are killed. `make test-submissions` has 10,000."""

from adjudge.serve.store import now
from serve.faults import check, prepare, work_and_kill


def test_submissions_that_fail_in_every_way(tmp_path):
    made = prepare(tmp_path, None, 25, seed=3)
    started = now()
    assert work_and_kill(tmp_path, None, seed=3, workers=4, most=300) >= 1
    found = check(tmp_path, None, made, started)
    assert sum(found.values()) == 25
    assert len(found) > 5
