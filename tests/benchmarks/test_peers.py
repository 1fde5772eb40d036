"""Programs are recognised by the names of their files."""

import sys

import pytest

from benchmarks.house.measure import Failed
from benchmarks.house.peers import find_program, interpreter_of


def put(path, text=""):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def test_programs_are_found_in_folders_of_a_folder(tmp_path):
    bundled = put(tmp_path / "EvmEval" / "reference" / "scorer.pl")
    put(bundled.parent / "lib" / "CorScorer.pm")
    perl = put(tmp_path / "conll" / "scorer.pl")
    put(perl.parent / "lib" / "CorScorer.pm")
    put(tmp_path / "scorer.pl")  # of something else
    put(tmp_path / "EvmEval" / "conll_coref.py")
    put(tmp_path / "EvmEval" / "scorer_v1.7.py")
    newest = put(tmp_path / "EvmEval" / "scorer_v1.8.py")
    assert find_program("reference scorer", tmp_path) == perl
    assert find_program("EvmEval", tmp_path) == newest
    with pytest.raises(Failed, match=r"scorer\.py is not in the folder"):
        find_program("coval", tmp_path)
    with pytest.raises(Failed, match="no folder of programs"):
        find_program("coval", None)


def test_what_runs_a_program(tmp_path):
    modern = put(tmp_path / "new" / "a.py", "print('x')\n")
    assert interpreter_of(modern) == [sys.executable]
    old = put(tmp_path / "old" / "a.py", "import b\n")
    put(tmp_path / "old" / "b.py", "print 'x'\n")
    # A stand-in for Python 2: it has to run, and nothing else is asked of it here.
    assert interpreter_of(old, python2=sys.executable) == [sys.executable]
    with pytest.raises(Failed, match="Python 2"):
        interpreter_of(old, python2=tmp_path / "nothing")
