import gzip

import pytest

from adjudge.errors import FormatError, UsageError
from adjudge.formats.kb_links import read_names, read_pairs, read_redirects, read_stop_list


def problems(read, data):
    with pytest.raises(FormatError) as error:
        read(data, name="list")
    return [str(each) for each in error.value.problems]


def test_names():
    assert read_names(b"\xef\xbb\xbfd1\r\n # a remark\r\n\r\n d 2 \r\nd1") == {"d1": 1, "d 2": 4}
    assert read_names(gzip.compress(b"d1\n")) == {"d1": 1}


def test_pairs():
    assert read_pairs(b"#from\tto\na \t b\nc\td\na\tb\n") == {"a": "b", "c": "d"}


def test_all_problems_at_once():
    assert problems(read_names, b"a\tb\nc\nd\te\n") == [
        "list:1:3: a line with several fields, write one name per line",
        "list:3:3: a line with several fields, write one name per line",
    ]
    assert problems(read_pairs, b"a\nb\tc\td\n\tx\ny\t\nb\tc\nb\te\n\xff\ta\n") == [
        "list:1:1: a line with 1 field instead of 2, write two names with a TAB between them",
        "list:2:1: a line with 3 fields instead of 2, write two names with a TAB between them",
        "list:3:1: the name in column 1 is empty, write two names with a TAB between them",
        "list:4:3: the name in column 2 is empty, write two names with a TAB between them",
        "list:6:1: 'b' is 'c' in line 5, keep one of the two lines",
        "list:7:1: the byte 0xff is not UTF-8, save the file as UTF-8",
    ]


@pytest.mark.parametrize("data", [b"", b"\n# nothing\n"])
def test_an_empty_list_is_an_error(data):
    assert problems(read_names, data) == ["list: the file names nothing, write one name per line"]
    assert problems(read_pairs, data) == ["list: the file names nothing, write two names with a TAB between them"]


def test_no_such_file(tmp_path):
    with pytest.raises(UsageError):
        read_names(tmp_path / "none")


def test_pages_have_one_form():
    assert read_redirects(b"http://en.wikipedia.org/wiki/new%20York\tNew York City\n")["New_York"] == "New_York_City"
    assert read_redirects(b"m.1\tm.2\n")["m.1"] == "m.2"
    assert {"New_York", "m.1"} <= read_stop_list(b"https://en.wikipedia.org/wiki/New_York#History\nm.1\n")


def test_redirects_that_contradict_each_other_in_one_form():
    assert problems(read_redirects, b"oslo\tA\nOslo\tB\n") == [
        "list:2:1: 'oslo' and 'Oslo' are one page, but lead to 'A' and 'B', keep one of them"
    ]
