"""CorefUD as it is scored beside sets, whole matrices and loops over all pairs, on random small documents."""

import random
from itertools import product

import pytest

from adjudge.evaluate.engine import evaluate
from adjudge.evaluate.task import run_of
from adjudge.formats.corefud import read_corefud
from adjudge.tasks.coref.settings import settings
from adjudge.tasks.coref.task import task_of
from corefud_naive import made, scores, text_of

RUN = run_of(bootstrap=0, digest=False, jobs=1)
OPTIONS = list(product(("exact", "head", "partial"), ("keep", "drop"), ("linear", "dependent")))


@pytest.mark.parametrize("seed", range(40))
def test_scores_are_those_of_plain_loops(seed):
    rng = random.Random(seed)
    key, response = (made(rng, twice=seed % 4 == 3) for _ in range(2))
    if seed % 2:  # most of the response is right, so that there is something to find
        response = {name: [each for each in own if rng.random() < 0.8] for name, own in key.items()}
    files = [text_of(each, 7, 2).encode() for each in (key, response)]
    for options in OPTIONS:
        match, singletons, zeros = options
        task = task_of(settings("corefud", singletons, match, None, zeros))
        result = evaluate(task, *files, RUN).result().systems[0]
        for metric, expected in scores(key, response, options).items():
            found = [result[f"coref.{metric}"][part] for part in ("recall", "precision", "f1")]
            assert found == pytest.approx(expected[:3], abs=1e-9), (options, metric)


def test_the_reader_finds_the_mentions_that_were_written():
    rng = random.Random(7)
    for _ in range(30):
        entities = made(rng)
        document = read_corefud(text_of(entities, 7, 2).encode()).documents[0]
        expected = {
            (name, f"{sentence}:{written(own)}")
            for name, mentions in entities.items()
            for sentence, own, _, _ in mentions
        }
        found = {(chain.id, document.written(mention)) for chain in document.chains for mention in chain.mentions}
        assert found == expected


def written(own):
    """Runs of words, and empty nodes by themselves."""
    runs = []
    for node in own:
        if runs and not node % 1 and runs[-1][-1] == node - 1:
            runs[-1].append(node)
        else:
            runs.append([node])
    return ",".join("-".join(f"{each:g}" for each in dict.fromkeys((run[0], run[-1]))) for run in runs)
