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
