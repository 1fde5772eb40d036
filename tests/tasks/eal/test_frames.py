"""What is to be linked, templates for those who link, and frames on other keys."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

from adjudge.errors import AdjudgeError
from adjudge.formats.eal_fields import sha1_id, trfr_id
from adjudge.formats.eal_linking import parse_linking
from adjudge.formats.eal_store import open_frames, open_key
from adjudge.formats.eal_write import FramesWriter
from adjudge.model.eal import AnswerKey, Assessment, Frame, Linking, Response
from adjudge.tasks.eal.frames import (
    class_of,
    classes,
    describe,
    format_classes,
    format_linking,
    is_linkable,
    linkable,
    project,
    template,
)
from adjudge.tasks.eal.stores import project_store, read_store, template_store
from eal_keys import CORPUS, GOOD, contents, keys, named, put, simple
from eal_responses import cases, linked, response


def frames(*groups: str, rest: str = "") -> Linking:
    made = [Frame(frozenset(map(named, letters))) for letters in groups]
    return Linking("d", made, frozenset(map(named, rest)))


def letters(responses: frozenset[Response]) -> str:
    return "".join(sorted(each.cas.text for each in responses))


@pytest.mark.parametrize(
    ("changes", "realis", "wanted"),
    [
        ({}, "Actual", True),
        ({"event_type": "I", "role": "I", "cas": "I", "base_filler": "I"}, "Actual", True),
        ({"realis": "Other"}, "Other", True),
        ({"realis": "Other"}, "Actual", False),
        ({"realis": "Generic"}, "Generic", False),
        ({"event_type": "W"}, "Actual", False),
        ({"role": "W"}, "Actual", False),
        ({"cas": "W"}, "Actual", False),
        ({"base_filler": "W"}, "Actual", False),
        ({"cas": None}, "Actual", False),
    ],
)
def test_what_can_be_linked(changes: dict, realis, wanted: bool):
    each = response("Bob", realis=realis)
    key = AnswerKey("d", {each: GOOD._replace(**changes)}, (), {each.cas: 1})
    assert is_linkable(each, key) == wanted
    assert len(linkable(key)) == wanted


def test_unassessed_responses_cannot_be_linked():
    assert linkable(AnswerKey("d", {}, [response()], {})) == {}


@given(keys())
@examples(max_examples=40)
def test_the_pool_is_grouped_by_type_role_realis_and_cluster(key: AnswerKey):
    pool = linkable(key)
    assert {each for group in pool.values() for each in group} == {r for r in key.assessed if is_linkable(r, key)}
    assert template(key).incomplete == {each for group in pool.values() for each in group}
    for name, group in pool.items():
        for each in group:
            assert (each.type, each.role, each.realis, key.coref.get(each.cas, each.cas)) == (
                name.type,
                name.role,
                name.realis,
                name.cluster,
            )
    assert sum(map(len, pool.values())) == len({each for group in pool.values() for each in group})


def test_the_template_of_the_corpus_is_what_its_frames_hold(tmp_path: Path):
    """The reference frames of the corpus link everything that can be linked, and nothing else."""
    done = template_store(CORPUS / "key", tmp_path / "frames")
    assert sum(each.classes for each in done.documents) == 82
    store, reference = open_frames(tmp_path / "frames"), open_frames(CORPUS / "ref")
    assert store.documents == reference.documents
    for key in open_key(CORPUS / "key"):
        linking, gold = store.linking(key), reference.linking(key)
        assert linking is not None
        assert gold is not None
        assert linking.frames == []
        assert classes(linking.incomplete, key.coref) == classes(linked(gold), key.coref)
        assert linked(gold) <= linking.incomplete


def test_the_template_for_people():
    bob, him = response("Bob"), response("him", at=(5, 7))
    place = response("Rome", role="Place", at=(20, 23))
    key = AnswerKey("d", dict.fromkeys((him, place, bob), GOOD), (), {bob.cas: 1, him.cas: 1, place.cas: 2})
    text = format_linking(template(key), key, comments=True).decode()
    ids = sorted(map(sha1_id, (bob, him, place)))
    blocks = text.split("\n#\n")
    assert blocks[1:] == [
        f'# Life.Die Place Actual: "Rome" 20-23\n#{sha1_id(place)}',
        f'# Life.Die Victim Actual: "Bob" 0-2, "him" 5-7\n#{sha1_id(bob)}\t{sha1_id(him)}',
        "INCOMPLETE\t" + "\t".join(ids) + "\n",
    ]
    assert format_linking(template(key), key, comments=False) == ("INCOMPLETE\t" + "\t".join(ids) + "\n").encode()
    # Someone takes away two signs and a line break: an event.
    made = text.replace("#" + sha1_id(place), sha1_id(place)).replace(
        f"#{sha1_id(bob)}\t{sha1_id(him)}\n", f"{sha1_id(bob)}\n"
    )
    linking, problems = parse_linking(made.encode(), key)
    assert {each.message.split(" is in a frame")[0] for each in problems} == {
        "the response 'Bob' (Victim)",
        "the response 'Rome' (Place)",
    }
    assert [len(frame.responses) for frame in linking.frames] == [1, 1]
    assert project(linking, key).unlinked == []


def test_strange_strings_stay_in_comments():
    each = response("\u2028#\u202eBob\x1b[31m")
    key = AnswerKey("d", {each: GOOD}, (), {each.cas: 1})
    text = format_linking(template(key), key, comments=True)
    assert b"\x1b" not in text
    assert parse_linking(text, key) == (template(key), [])


def test_long_descriptions_are_short():
    many = [response(letter, at=(n, n)) for n, letter in enumerate("abcdefg")]
    assert describe(many).endswith('"d" 3-3, and 3 more')


@st.composite
def linkings(draw: st.DrawFn) -> tuple[AnswerKey, Linking]:
    """A key, and frames that people made of it."""
    key = draw(keys())
    pool = [each for group in linkable(key).values() for each in group]
    made = draw(st.lists(st.frozensets(st.sampled_from(pool), min_size=1), max_size=4)) if pool else []
    return key, Linking("d", [Frame(each) for each in made])


@given(linkings(), st.booleans())
@examples(max_examples=40)
def test_frames_come_back_from_files(pair: tuple[AnswerKey, Linking], comments: bool):
    key, made = pair
    done = project(made, key)
    again, problems = parse_linking(format_linking(done.linking, key, comments=comments), key)
    assert problems == []
    assert again == done.linking
    assert project(again, key).linking == done.linking
    # The same TRFRs, all of their responses, and the rest on the last line.
    assert {classes(frame.responses, key.coref) for frame in again.frames} == {
        classes(frame.responses, key.coref) for frame in made.frames
    }
    pool = linkable(key)
    assert linked(again) | again.incomplete == {each for group in pool.values() for each in group}
    assert not linked(again) & again.incomplete
    assert {class_of(each, key.coref) for each in again.incomplete} == set(done.unlinked)
    assert done.lost == []


def test_hopper_names_stay():
    key = simple(c1="a", c2="b")
    made = Linking("d", [Frame(frozenset([named("a")]), "h7")], frozenset([named("b")]))
    text = format_linking(project(made, key).linking, key, comments=True)
    assert parse_linking(text, key) == (made, [])


# Projection


def test_the_official_case():
    case = cases()["linking_projection"]
    source = simple(**{f"c{number}": group for number, group in case["source_coref"].items()})
    target = simple(**{f"c{number}": group for number, group in case["target_coref"].items()})
    made = frames(*("".join(case["source_coref"][n] for n in group) for group in case["source_frames_by_cluster"]))
    done = project(made, target, source)
    wanted = ["".join(case["target_coref"][n] for n in group) for group in case["target_frames_by_cluster"]]
    assert sorted(letters(frame.responses) for frame in done.linking.frames) == sorted(
        "".join(sorted(group)) for group in wanted
    )
    assert letters(done.linking.incomplete) == "".join(case["target_coref"][n] for n in case["target_incomplete"])
    assert [each.cas.text for each in done.lost] == ["J"]
    assert {each.cluster for each in done.split} == {1, 2}  # ABC became AB and C


def test_one_response_stands_for_its_class():
    source = simple(c1="ABC", c2="D")
    done = project(frames("A", "D"), source)
    assert [letters(frame.responses) for frame in done.linking.frames] == ["ABC", "D"]


def test_what_is_no_longer_right_is_lost():
    source = simple(c1="A", c2="B")
    target = AnswerKey("d", {**source.assessed, named("A"): Assessment("W")}, (), source.coref)
    done = project(frames("AB"), target)
    assert [letters(frame.responses) for frame in done.linking.frames] == ["B"]
    assert done.lost == [named("A")]


@given(linkings(), keys())
@examples(max_examples=30)
def test_projection_by_its_definition(pair: tuple[AnswerKey, Linking], target: AnswerKey):
    _, made = pair
    done = project(made, target)
    good = [each for each in target.assessed if is_linkable(each, target)]

    def kin(one: Response) -> frozenset[Response]:
        return frozenset(
            each
            for each in good
            if (each.type, each.role, each.realis) == (one.type, one.role, one.realis)
            and target.coref.get(each.cas, each.cas) == target.coref.get(one.cas, one.cas)
        )

    wanted = {frozenset[Response]().union(*map(kin, frame.responses)) for frame in made.frames} - {frozenset()}
    assert {frame.responses for frame in done.linking.frames} == wanted
    assert done.linking.incomplete == frozenset(good) - frozenset[Response]().union(*wanted)
    assert set(done.lost) == {each for frame in made.frames for each in frame.responses if not kin(each)}


# Stores


def test_reading_completes_frames(tmp_path: Path):
    done = read_store(CORPUS / "ref", CORPUS / "key", tmp_path / "read")
    assert (done.findings.errors, {finding.kind for finding in done.findings.findings}) == (0, {"frame-types"})
    again = read_store(tmp_path / "read", CORPUS / "key", tmp_path / "again")
    assert contents(tmp_path / "read") == contents(tmp_path / "again")
    assert [each[:4] for each in done.documents] == [each[:4] for each in again.documents]
    for key in open_key(CORPUS / "key"):
        gold, full = (open_frames(path).linking(key) for path in (CORPUS / "ref", tmp_path / "read"))
        assert gold is not None
        assert full is not None
        assert [classes(frame.responses, key.coref) for frame in gold.frames] == [
            classes(frame.responses, key.coref) for frame in full.frames
        ]


def test_unlinked_is_an_error_only_if_all_must_be_linked(tmp_path: Path):
    put(tmp_path / "key", simple(c1="a", c2="b"))
    with FramesWriter(tmp_path / "frames") as writer:
        writer.write(frames("a", rest="b"))
    assert read_store(tmp_path / "frames", tmp_path / "key").findings.errors == 0
    done = read_store(tmp_path / "frames", tmp_path / "key", tmp_path / "out", complete=True)
    assert [finding.kind for finding in done.findings.findings] == ["unlinked"]
    assert not (tmp_path / "out").exists()
    (tmp_path / "frames" / "d").write_bytes((tmp_path / "frames" / "d").read_bytes().split(b"INCOMPLETE")[0])
    done = read_store(tmp_path / "frames", tmp_path / "key")
    assert [finding.kind for finding in done.findings.findings] == ["frame-missing"]
    done = read_store(tmp_path / "frames", tmp_path / "key", complete=True)
    assert [finding.kind for finding in done.findings.findings] == ["unlinked"]  # once


def test_classes_in_place_of_responses(tmp_path: Path):
    key = simple(c1="ab", c2="c")
    first = next(iter(key.assessed))
    text = format_classes(frames("ab", rest="c"), key).decode().splitlines()
    assert text[0] == trfr_id("d", "Life.Die", "Victim", first.cas, "Actual")
    assert text[1].split("\t")[0] == "INCOMPLETE"
    read_store(CORPUS / "ref", CORPUS / "key", tmp_path / "out", written="classes")
    total = sum(
        len({name for line in data.decode().splitlines() for name in line.split("\t") if len(name) == 40})
        for data in contents(tmp_path / "out").values()
    )
    assert total == 82


def test_projection_onto_the_same_key_changes_nothing(tmp_path: Path):
    project_store(CORPUS / "ref", CORPUS / "key", CORPUS / "key", tmp_path / "out", comments=False)
    read_store(CORPUS / "ref", CORPUS / "key", tmp_path / "read")
    assert contents(tmp_path / "out") == contents(tmp_path / "read")


def test_unknown_ids_are_errors(tmp_path: Path):
    put(tmp_path / "key", simple(c1="a"))
    (tmp_path / "frames").mkdir()
    (tmp_path / "frames" / "d").write_text("0123456789012345678901234567890123456789\n")
    done = read_store(tmp_path / "frames", tmp_path / "key")
    assert {finding.kind for finding in done.findings.findings} == {"unknown-id", "frame-missing"}
    with pytest.raises(AdjudgeError, match="no response with the id"):
        project_store(tmp_path / "frames", tmp_path / "key", tmp_path / "key", tmp_path / "out")
