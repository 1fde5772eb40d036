"""Files that are cut before the same documents: the parts together are the whole."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from adjudge.formats import tbf
from adjudge.formats.tbf import SAMPLE, cut_files, mode_at, open_part, open_tbf


def text(names: list[str], lines: int = 3, place: str = "4,8") -> str:
    line = f"s\td\tE1\t{place}\tw\tA\tX\n"
    return "".join(f"#BeginOfDocument {name}\n{line * lines}#EndOfDocument\n" for name in names)


def files(folder: Path, *contents: str) -> list[str]:
    paths = [folder / f"{number}.tbf" for number in range(len(contents))]
    for path, content in zip(paths, contents, strict=True):
        path.write_text(content)
    return [str(path) for path in paths]


@pytest.mark.parametrize("parts", [1, 2, 3, 7])
def test_the_parts_together_are_the_whole(tmp_path: Path, parts: int) -> None:
    names = [f"d{number}" for number in range(30)]
    paths = files(tmp_path, text(names), text(names[:4] + names[6:], 5), text(names, 1))
    cuts = cut_files(paths, parts)
    assert cuts is not None
    assert len(cuts) == parts
    for number, path in enumerate(paths):
        whole = open_tbf(path)
        opened = [open_part(path, own[number], "char") for own in cuts]
        assert [id for each in opened for id in each.ids] == whole.ids
        assert all(each.ids for each in opened)
        assert [each.read(id).nuggets[0].pieces for each in opened for id in each.ids] == [((4, 8),)] * len(whole.ids)
        assert not any(each.notes for each in opened)
        pieces = [each.section_bytes(section) for each in opened for section in each.sections]
        assert pieces == [whole.section_bytes(section) for section in whole.sections]
    firsts = [{open_part(path, own[number]).ids[0] for number, path in enumerate(paths)} for own in cuts]
    assert all(len(each) == 1 for each in firsts)


def test_a_document_that_all_files_have_is_taken_if_it_is_not_far(tmp_path: Path) -> None:
    names = [f"d{number}" for number in range(40)]
    without = [name for name in names if name not in names[20:25]]
    (_, second) = cut_files(files(tmp_path, text(names), text(without)), 2) or ((), ())
    assert open_part(str(tmp_path / "1.tbf"), second[1]).ids[0] == "d25"
    assert cut_files(files(tmp_path, text(names), text(names[:15])), 2) is None


def test_files_that_cannot_be_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"d{number}" for number in range(40)]
    assert cut_files(files(tmp_path, text(["a"]), text(["a"])), 2) is None
    assert cut_files(files(tmp_path, text(names), text(names)), 80) is None
    assert cut_files(files(tmp_path, "", ""), 2) is None
    paths = files(tmp_path, text(names), text(names))
    Path(paths[1]).write_bytes(gzip.compress(Path(paths[1]).read_bytes()))
    assert cut_files(paths, 1) is None
    monkeypatch.setattr(tbf, "_NEAR", 200)
    moved = names[30:] + names[:30]
    assert cut_files(files(tmp_path, text(names), text(moved)), 2) is None


def test_the_mode_is_that_of_the_whole_file_or_unknown(tmp_path: Path) -> None:
    names = [f"d{number}" for number in range(SAMPLE)]
    for place in ("4,8", "t1,t2"):
        (path,) = files(tmp_path, text([*names, "last"], 1, place))
        assert mode_at(path) == open_tbf(path).mode
    (path,) = files(tmp_path, text(names, 1))  # the last document might go on
    assert mode_at(path) is None
    assert mode_at(*files(tmp_path, "")) is None
