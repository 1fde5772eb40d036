"""Folders of CorefUD datasets: the mean over them, rows by dataset and language, and draws within datasets."""

import json
import random

import numpy as np
import pytest

from adjudge.cli import run
from adjudge.stats.resample import stratified_weights
from corefud_naive import made, text_of

DATASETS = ("ca_ancora", "cs_pcedt", "cs_pdt")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A key, and a response without one of the datasets."""
    found = tmp_path_factory.mktemp("crac")
    rng = random.Random(5)
    for number, name in enumerate(DATASETS):
        for side in ("key", "sys"):
            (found / side / name).mkdir(parents=True)
        texts = ["", ""]
        for document in range(3 + number):
            key = made(rng)
            response = {entity: [each for each in own if rng.random() < 0.7] for entity, own in key.items()}
            for place, entities in enumerate((key, response)):
                texts[place] += text_of(entities, 7, 2).replace("id = d", f"id = d{document}")
        for side, text in zip(("key", "sys"), texts, strict=True):
            if (side, name) != ("sys", "cs_pcedt"):
                (found / side / name / f"{name}-corefud-test.conllu").write_text(text)
    return found


@pytest.fixture
def call(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)

    def called(*words):
        code = run(["coref", "score", *words, "--profile", "corefud", "--bootstrap", "20"])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return called


def scores(out):
    data = json.loads(out)["systems"][0]
    return {(*score["slice"].values(), score["part"]): score["value"] for score in data["scores"]}, data["notes"]


def test_the_mean_of_the_datasets(call):
    found, notes = scores(call("key", "sys", "--format", "json")[1])
    options = {"f1": (), "partial": ("--match", "partial"), "exact": ("--match", "exact")}
    for part, words in {**options, "singletons": ("--singletons", "keep")}.items():
        own = {"cs_pcedt": 0.0}
        for name in ("ca_ancora", "cs_pdt"):
            files = [f"{side}/{name}/{name}-corefud-test.conllu" for side in ("key", "sys")]
            one, _ = scores(call(*files, *words, "--metric", "conll", "--format", "json")[1])
            own[name] = one["f1",]
        assert {name: found[name, part] for name in DATASETS} == pytest.approx(own)
        assert found["cs", part] == pytest.approx(own["cs_pdt"] / 2)
        assert found[part,] == pytest.approx(sum(own.values()) / 3)
    assert [(note["count"], note["examples"]) for note in notes if note["code"] == "missing-dataset"] == [
        (1, ["cs_pcedt"])
    ]
    chosen, _ = scores(call("key", "sys", "--match", "exact", "--format", "json")[1])
    assert chosen["f1",] == found["exact",]
    assert ("exact",) not in chosen


def test_saved_results_are_drawn_within_datasets_again(call, capsys, tmp_path):
    together = call("key", "A=sys", "B=key", "--interval", "percentile", "--quiet")[1]
    assert call("key", "A=sys", "--interval", "percentile", "--save", str(tmp_path / "a.json"))[0] == 0
    assert call("key", "B=key", "--interval", "percentile", "--save", str(tmp_path / "b.json"))[0] == 0
    assert run(["compare", str(tmp_path / "a.json"), str(tmp_path / "b.json"), "--quiet"]) == 0
    assert capsys.readouterr().out == together


def test_every_draw_has_all_documents_of_every_dataset():
    ids, strata = [f"d{number}" for number in range(9)], list("aabbbcbca")
    drawn = np.concatenate(list(stratified_weights(ids, strata, 50, 3, block=100)))
    for name in "abc":
        own = [place for place, each in enumerate(strata) if each == name]
        assert (drawn[:, own].sum(axis=1) == len(own)).all()
    order = np.random.default_rng(1).permutation(9)
    moved = np.concatenate(list(stratified_weights([ids[i] for i in order], [strata[i] for i in order], 50, 3)))
    assert (moved == drawn[:, order]).all()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("key", "sys/cs_pdt/cs_pdt-corefud-test.conllu"), "the key is a folder, but this is not"),
        (("key", "other"), "other/xx_new.conllu: the key has no dataset xx_new, "),
        (("key", "other"), "other/cs_pdt.conllu:1: sentence 1 (s1): word 1 is 'x', but 'w1' in the key, "),
        (("twice", "key"), "is of the dataset cs_pdt too, give a folder with one file of each dataset"),
        (("key", "sys", "--metric", "muc"), "folders of datasets have the one metric coref.crac"),
        (("key", "sys", "--by", "genre"), "datasets have no field 'genre'"),
        (("key", "sys", "--pool", "macro"), "documents of several datasets are not averaged"),
        (("empty", "sys"), "empty: there is no file of CorefUD in it"),
    ],
)
def test_what_does_not_go_together(call, folder, words, said):
    text = (folder / "key" / "cs_pdt" / "cs_pdt-corefud-test.conllu").read_text()
    for name in ("other", "twice", "empty"):
        (folder / name).mkdir(exist_ok=True)
    (folder / "other" / "xx_new.conllu").write_text(text)
    (folder / "other" / "cs_pdt.conllu").write_text(text.replace("\n1\tw1\t", "\n1\tx\t", 1))
    for split in ("dev", "test"):
        (folder / "twice" / f"cs_pdt-corefud-{split}.conllu").write_text(text)
    code, _, err = call(*words)
    assert code in (1, 2)
    assert said in err
