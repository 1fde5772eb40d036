"""The public names: few, typed, and light to import."""

import subprocess
import sys

import pytest

import adjudge


def test_every_public_name_is_there():
    for name in adjudge.__all__:
        assert getattr(adjudge, name) is not None
    assert 20 <= len(adjudge.__all__) <= 35
    assert sorted(adjudge.__all__) == adjudge.__all__
    assert set(adjudge.__all__) <= set(dir(adjudge))


def test_unknown_name():
    with pytest.raises(AttributeError, match="nonsense"):
        adjudge.nonsense  # noqa: B018


def test_importing_the_package_is_light():
    code = "import adjudge, sys; print(sorted({'numpy', 'scipy', 'click', 'rich', 'yaml'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_version_is_the_installed_one():
    from importlib.metadata import version

    assert version("adjudge") == adjudge.__version__


def test_the_catalogue_needs_no_numbers():
    code = "import adjudge, sys; len(adjudge.find()); print(sorted({'numpy', 'scipy', 'yaml'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_a_first_score_in_memory_loads_what_it_needs():
    """No library for numbers, commands or pages, and no readers, scorers or metrics that nobody asks for."""
    code = (
        "import adjudge as aj, sys\n"
        "gold = [{'id': 'd', 'relations': [{'head': 'a', 'tail': 'b', 'type': 'knows'}]}]\n"
        "aj.score('relation', gold, gold, bootstrap=0)\n"
        "libraries = {'numpy', 'scipy', 'click', 'rich', 'jinja2', 'yaml', 'multiprocessing'}\n"
        "ours = {'findings', 'formats.jsonl', 'scorers.published', 'metrics.ner', 'algebra.operators.collection'}\n"
        "print(sorted((libraries | {f'adjudge.{name}' for name in ours}) & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
