"""Boards: places and bands from what `compare` says, best runs, unranked ones, what may be seen, and all layouts."""

import csv
import io
import json

import msgspec
import pytest

from adjudge.serve.board_desk import board_csv, board_files, board_latex
from adjudge.serve.boards import Board, Run, inputs_of, make_board, view

RUNS = [
    Run(team="ash", number=1, name="first"),
    Run(team="ash", number=2, name="second"),
    Run(team="birch", number=1, name="only"),
    Run(team="cedar", number=1, name="a=b <c>"),
    Run(team="ash", number=3, name="by hand", unranked="human"),
]
VALUES = {"ash.1": 0.70, "ash.2": 0.72, "birch.1": 0.71, "cedar.1": 0.40, "ash.3": 0.90}


def compared(runs, gap=0.05):
    """What compare says of runs whose scores are known: those that are a gap apart are told apart."""
    names = sorted((run.key for run in runs), key=lambda name: -VALUES[name])
    scores = {
        name: [
            {"metric": metric, "part": part, "value": VALUES[name] - less, "low": 0.1, "high": 0.9, "level": 0.95}
            | {"slice": where}
            for metric, less in (("ner.strict", 0.0), ("ner.type", 0.01))
            for part in ("recall", "f1")
            for where in ({}, {"genre": "nw"})
        ]
        for name in VALUES
    }
    apart = {(a, b): VALUES[a] - VALUES[b] for a in names for b in names}
    pairs = [
        {"a": a, "b": b, "metric": "ner.strict", "part": "f1", "difference": apart[a, b], "low": -1.0, "high": 0.5}
        | {"p_holm": 0.01 if abs(apart[a, b]) > gap else 1.0, "wins": 0.8, "slice": where}
        for at, a in enumerate(sorted(names))
        for b in sorted(names)[at + 1 :]
        for where in ({}, {"genre": "nw"})
    ]
    ranking = [
        {"metric": metric, "part": "f1", "system": name, "rank": at + 1, "value": VALUES[name]}
        | {"ranks": [1 + sum(apart[o, name] > gap for o in names), sum(apart[name, o] <= gap for o in names)]}
        for metric in ("ner.strict", "ner.type")
        for at, name in enumerate(names)
    ]
    systems = [{"name": name, "documents": 7, "scores": scores[name]} for name in names]
    found = {"adjudge": "1", "task": "ner", "signature": "s", "systems": systems}
    return found | ({"comparisons": pairs, "ranking": ranking} if len(names) > 1 else {})


def test_a_score_that_is_not_proven_has_its_bound():
    def unproven(runs):
        found = compared(runs)
        for system in found["systems"]:
            for score in system["scores"]:
                score["bound"] = 0.95
        return found

    made = make_board("names", "test", RUNS, unproven)
    assert b"(at most 95.0)" in board_files(made, "here")["index.html"]
    assert "(at most 95.0)" in board_latex(made)
    assert all(row["bound"] == "0.95" for row in csv.DictReader(io.StringIO(board_csv(made))))
    own = view(made, "bands", "ash")
    assert {line.bound for tab in own.all for line in tab.lines} == {0.95, None}


@pytest.fixture
def board():
    return make_board("names", "test", RUNS, compared)


def rows(tab, *names):
    return [tuple(getattr(line, name) for name in names) for line in tab.lines]


def test_places_bands_and_the_best_run_of_each_team(board):
    assert [tab.title for tab in board.all] == [
        "ner.strict f1",
        "ner.type f1",
        "ner.strict f1, genre nw",
        "ner.type f1, genre nw",
    ]
    assert rows(board.best[0], "team", "run", "rank", "ranks", "band") == [
        ("ash", "by hand", None, None, None),
        ("ash", "second", 1, (1, 2), 1),
        ("birch", "only", 2, (1, 2), 1),
        ("cedar", "a=b <c>", 3, (3, 3), 2),
    ]
    assert rows(board.all[0], "run", "ranks") == [
        ("by hand", None),
        ("second", (1, 3)),
        ("only", (1, 3)),
        ("first", (1, 3)),
        ("a=b <c>", (4, 4)),
    ]
    assert rows(board.all[2], "run", "band")[-1] == ("a=b <c>", 2)  # a slice has no ranges, but tests
    assert (board.documents, board.all[0].lines[1].parts) == (7, {"recall": 0.72})


def test_the_difference_to_the_best_and_the_chance_to_beat_the_next_have_their_sign(board):
    _, second, only, first, last = board.all[0].lines
    assert second.behind is None
    assert last.beats_next is None
    # The pair is (ash.2, birch.1), so that it is turned: low and high change places, too.
    assert (round(only.behind.difference, 9), only.behind.low, only.behind.high, only.behind.p) == (-0.01, -0.5, 1.0, 1)
    assert (round(first.behind.difference, 9), first.behind.low, first.behind.high) == (-0.02, -1.0, 0.5)
    assert (second.beats_next, round(only.beats_next, 9), first.beats_next, last.behind.p) == (0.8, 0.2, 0.8, 0.01)


def test_one_run_none_and_only_unranked_ones():
    assert rows(make_board("t", "p", RUNS[:1], compared).best[0], "rank", "value") == [(1, 0.70)]
    assert make_board("t", "p", [], compared).best == ()
    assert rows(make_board("t", "p", RUNS[4:], compared).best[0], "rank", "unranked") == [(None, "human")]


def test_what_a_phase_shows(board):
    texts = {
        show: b"".join(board_files(view(board, show), "s").values()).decode() for show in ("hidden", "own", "bands")
    }
    assert all("0.7" not in text and "72.0" not in text for text in texts.values())
    assert not any(run.name in texts[show] for run in RUNS[:3] for show in ("hidden", "own"))
    bands = view(board, "bands", "birch").best[0]
    assert rows(bands, "team", "ranks", "value") == [
        ("ash", (1, 2), None),
        ("birch", (1, 2), 0.71),
        ("cedar", (3, 3), None),
        ("ash", None, None),
    ]
    own = view(board, "own", "ash").all[0]
    assert rows(own, "run", "ranks", "behind") == [
        ("by hand", None, None),
        ("second", (1, 3), None),
        ("first", (1, 3), None),
    ]
    assert view(board, "public") is board


def test_what_a_board_cannot_tell_from_chance_is_said_where_scores_are(board):
    assert board.best[0].detects is None

    def powered(runs):
        found = compared(runs)
        for at, pair in enumerate(found.get("comparisons", ())):
            pair["detectable"] = 0.0731 if at == 2 else 0.05
        return found

    made = make_board("names", "test", RUNS, powered)
    whole, page = made.best[0], board_files(made, "Autumn")["index.html"].decode()
    assert (whole.detects, json.loads(board_files(made, "s")["board.json"])["best"][0]["detects"]) == (0.0731, 0.0731)
    assert "Differences below 7.3 points of ner.strict f1 cannot be told from chance here (power 80 %)." in page
    for show in ("own", "bands"):
        assert all(tab.detects is None for tab in view(made, show, "ash").all)


def test_layouts_hold_the_same_and_escape(board):
    files = board_files(board, "Autumn", {"manifest.json": b"{}"})
    page = files["index.html"].decode()
    assert "a=b &lt;c&gt;" in page
    assert "<script" not in page
    assert "<c>" not in page
    assert 'href="manifest.json"' in page
    assert 'href="/' not in page
    assert "http" not in page
    assert msgspec.json.decode(files["board.json"], type=Board) == board
    found = list(csv.DictReader(io.StringIO(board_csv(board))))
    assert len(found) == sum(len(tab.lines) for tab in (*board.best, *board.all))
    assert (found[1]["team"], found[1]["ranks"], found[1]["value"]) == ("ash", "1–2", "0.72")
    assert r"\midrule" + "\n3 & cedar: a=b \\textless{}c\\textgreater{}" in board_latex(board)
    assert json.loads(files["board.json"])["best"][0]["lines"][0]["unranked"] == "human"


def test_a_page_draws_intervals_and_lines_between_bands_alone(board):
    page = board_files(board, "Autumn")["index.html"].decode().partition("<tbody>")[2].partition("</tbody>")[0]
    drawn = [row.count("<path") for row in page.split("<tr")[1:]]
    assert drawn == [2, 2, 2, 2]
    assert ['"begins ' in row for row in page.split("<tr")[1:]] == [False, False, False, True]  # none below "by hand"
    assert "<svg" not in board_files(view(board, "bands"), "Autumn")["index.html"].decode()


def test_inputs_are_those_of_the_runs_in_any_order(board):
    assert board.inputs == inputs_of(reversed(RUNS))
    other = [msgspec.structs.replace(RUNS[0], unranked="late"), *RUNS[1:]]
    assert board.inputs != inputs_of(other)
