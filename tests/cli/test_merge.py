"""The command `adjudge merge`."""

import json


def shards(campaign, cut=3):
    for name in ("gold", "good", "poor"):
        lines = (campaign / f"{name}.jsonl").read_text().splitlines(keepends=True)
        (campaign / f"{name}-1.jsonl").write_text("".join(lines[:cut]))
        (campaign / f"{name}-2.jsonl").write_text("".join(lines[cut:]))


def score_part(adjudge, number, *options):
    systems = (f"good=good-{number}.jsonl", f"poor=poor-{number}.jsonl")
    ran = adjudge(
        "score", "relation.strict", f"gold-{number}.jsonl", *systems, "--save", f"part{number}.json", *options
    )
    assert ran.code == 0, ran.err


def bare(path):
    """A saved result without the hashes of its inputs."""
    data = json.loads(path.read_text())
    for field in ("gold", "in"):
        del data["options"]["fields"][field]
    data["signature"] = [each for each in data["signature"].split("|") if not each.startswith(("gold:", "in:"))]
    return data


def test_shards_merge_to_the_whole(adjudge, campaign):
    shards(campaign)
    for number in (1, 2):
        score_part(adjudge, number, "--by", "genre")
    assert adjudge("merge", "part1.json", "part2.json", "-o", "merged.json", "--quiet").out == ""
    whole = adjudge(
        "score", "relation.strict", "gold.jsonl", "good.jsonl", "poor.jsonl", "--by", "genre", "--save", "whole.json"
    )
    assert bare(campaign / "merged.json") == bare(campaign / "whole.json")
    shown = adjudge("merge", "part1.json", "part2.json")
    table = whole.out.partition("signature")[0]
    assert shown.out.partition("signature")[0] == table
    assert adjudge("compare", "merged.json").code == 0


def test_mistakes(adjudge, campaign):
    shards(campaign)
    score_part(adjudge, 1)
    ran = adjudge("merge", "part1.json", "part1.json", "-o", "merged.json")
    assert ran.code == 2
    assert "part1.json is given twice" in ran.err
    (campaign / "again.json").write_bytes((campaign / "part1.json").read_bytes())
    ran = adjudge("merge", "part1.json", "again.json", "-o", "merged.json")
    assert ran.code == 1
    assert "again.json: 3 documents of part1.json are here again: d0, d1, d2" in ran.err
    assert not (campaign / "merged.json").exists()
    ran = adjudge("merge", "part1.json", "-o", "part1.json")
    assert ran.code == 2
    ran = adjudge("merge", "part1.json", "--fail-under", "relation.strict.f1=1")
    assert ran.code == 3


def test_documents_and_notes_travel_with_the_parts(adjudge, campaign):
    lines = (campaign / "poor.jsonl").read_text().splitlines(keepends=True)
    (campaign / "poor.jsonl").write_text("".join([*lines[:1], *lines[2:-1]]))  # a document is missing in either part
    shards(campaign)
    (campaign / "poor-1.jsonl").write_text("".join([lines[0], *lines[2:3]]))
    (campaign / "poor-2.jsonl").write_text("".join(lines[3:-1]))
    for number in (1, 2):
        score_part(adjudge, number, "--save-documents", "--bootstrap", "50")
    whole = ("score", "relation.strict", "gold.jsonl", "good.jsonl", "poor.jsonl", "--save", "whole.json")
    assert adjudge(*whole, "--save-documents", "--bootstrap", "50").code == 0
    assert adjudge("merge", "part1.json", "part2.json", "-o", "merged.json", "--quiet").code == 0
    merged = bare(campaign / "merged.json")
    assert merged == bare(campaign / "whole.json")
    assert [len(system["aligned"]) for system in merged["systems"]] == [len(merged["documents"])] * 2
    assert any(note["code"] == "missing-document" and note["count"] == 2 for note in merged["systems"][1]["notes"])
    # One part without documents: numbers are merged, documents are left out.
    score_part(adjudge, 2, "--bootstrap", "50")
    assert adjudge("merge", "part1.json", "part2.json", "-o", "merged.json", "--quiet").code == 0
    assert bare(campaign / "merged.json").get("documents") is None


def test_parts_that_were_scored_in_another_way_are_refused(adjudge, campaign):
    shards(campaign)
    score_part(adjudge, 1)
    for options, said in (
        (("--pool", "macro"), "pool (micro and macro)"),
        (("--seed", "7"), "seed (13 and 7)"),
        (("--by", "genre"), "by (nothing and genre)"),
    ):
        score_part(adjudge, 2, *options)
        ran = adjudge("merge", "part1.json", "part2.json", "-o", "merged.json")
        assert ran.code == 2
        assert f"part2.json: scored in another way than part1.json: they differ in {said}" in ran.err
        assert not (campaign / "merged.json").exists()
    ran = adjudge("score", "relation.strict", "gold-2.jsonl", "good=good-2.jsonl", "--save", "part2.json")
    ran = adjudge("merge", "part1.json", "part2.json", "-o", "merged.json")
    assert ran.code == 2
    assert "part2.json: has the systems good, and part1.json has good, poor" in ran.err
