"""The tokenizer: what the Stanford tokenizer makes of 40 sentences, its conventions one by one, and where we differ."""

import json
import time
import unicodedata
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import settings as examples
from hypothesis import strategies as st

from adjudge.formats.token_table import read_table, write_table
from adjudge.tasks.nugget.tokenizer import shape, tokenize
from adjudge.tasks.nugget.tokenizer_files import split_at_separators, table_of

GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "nugget_tokenizer.json").read_text())["cases"]


def words(text: str) -> str:
    """The tokens with a bar between them, blanks inside as they are."""
    return "|".join(text[begin:end] for begin, end in tokenize(text))


@pytest.mark.parametrize("case", GOLDEN, ids=[case["text"][:30] for case in GOLDEN])
def test_the_sentences_that_stanford_tokenized(case):
    places = tokenize(case["text"])
    assert [list(place) for place in places] == case["ptb_offsets"]
    assert [list(place) for place in split_at_separators(case["text"], places)] == case["after_separators"]


def test_all_sentences_are_here():
    assert len(GOLDEN) == 40


# Each line was compared with the Stanford tokenizer 3.4.1: the text, and its tokens with bars between them.
CONVENTIONS = {
    "contractions": [
        ("You can't, won't, mustn't've gone", "You|ca|n't|,|wo|n't|,|must|n't|'ve|gone"),
        ("it’s we’d CAN’T x", "it|’s|we|’d|CA|N’T|x"),
        ("I'm they're she'll he'd've x", "I|'m|they|'re|she|'ll|he|'d|'ve|x"),
        ("John's James' 1990's x", "John|'s|James|'|1990|'s|x"),
        ("don&apos;t x", "do|n&apos;t|x"),
        ("an it'sx he", "an|it|'|sx|he"),
    ],
    "words in one": [
        ("gonna GOTTA Wanna lemme gimme cannot x", "gon|na|GOT|TA|Wan|na|lem|me|gim|me|can|not|x"),
        ("'tis 'Twas more'n x", "'t|is|'T|was|more|'n|x"),
        ("gonnas cannot-do wannabe x", "gonnas|cannot-do|wannabe|x"),
    ],
    "apostrophes": [
        ("O'Neill d'Artagnan L'Oreal Xi'an Hawai'i", "O'Neill|d'Artagnan|L'Oreal|Xi'an|Hawai'i"),
        ("y'all rock 'n' roll rock'n'roll 'em 'til", "y'|all|rock|'n'|roll|rock|'n'|roll|'em|'til"),
        ("the '90s '05 x '123 c'mon ma'am o'clock", "the|'90s|'05|x|'|123|c'mon|ma'am|o'clock"),
    ],
    "abbreviations": [
        ("Mr. Li met Gen. X vs. Y in St. Paul", "Mr.|Li|met|Gen.|X|vs.|Y|in|St.|Paul"),
        ("In Jan. 5 or Jan. the Inc. x", "In|Jan.|5|or|Jan.|the|Inc.|x"),
        ("Foo Inc. He left. Bar Corp.\n\nx Calif.", "Foo|Inc|.|He|left|.|Bar|Corp|.|x|Calif|."),
        ("See No. 5, Fig. 3 or no. It", "See|No.|5|,|Fig.|3|or|no|.|It"),
        ("Baz Co. Ltd. x Co. Inc. x", "Baz|Co.|Ltd.|x|Co|.|Inc.|x"),
        ("an ill. man in Ill. was ill", "an|ill|.|man|in|Ill.|was|ill"),
        ("R-Ariz., and xyz., and xyz. and", "R-Ariz.|,|and|xyz.|,|and|xyz|.|and"),
        ("a Ph.D. in x, a Ph.D. She", "a|Ph.D.|in|x|,|a|Ph.D|.|She"),
    ],
    "initials": [
        ("U.S. troops, U.S. President", "U.S.|troops|,|U.S.|President"),
        ("the U.S. The end. J. Smith", "the|U.S|.|The|end|.|J.|Smith"),
        ("at 5 p.m. It was. at 5 p.m. Bob", "at|5|p.m|.|It|was|.|at|5|p.m.|Bob"),
        ("U.S.-led U.S.'s e.g. i.e. x", "U.S.-led|U.S.|'s|e.g.|i.e.|x"),
        ("in U.S. <b> x", "in|U.S|.|<b>|x"),
    ],
    "addresses": [
        ("http://a.bc/d-e?f=1, www.foo.com/bar. x", "http://a.bc/d-e?f=1|,|www.foo.com/bar|.|x"),
        ("foo.com/ab foo.com/ x", "foo.com/ab|foo.com|/|x"),
        ("joe.b@x-y.co.uk; <a@b.c> x@ y", "joe.b@x-y.co.uk;|<a@b.c>|x|@|y"),
        ("@some_one #Tag #1 @1 @@ ##", "@some_one|#Tag|#|1|@|1|@@|##"),
        ("1.txt foo.html x", "1.txt|foo.html|x"),
    ],
    "tags and entities": [
        ("<a b=\"c d\" e='f>g'/>x</a>", "<a b=\"c d\" e='f>g'/>|x|</a>"),
        ("<!-- no > x --> <?xml y?> < a>", "<!-- no >|x|--|>|<?xml y?>|<|a|>"),
        ("<a b=c> 3<5 <notatag", "<|a|b|=|c|>|3|<|5|<|notatag"),
        ("&amp; &lt;b&gt; &#39; AT&amp;T &nbsp; &foo;", "&amp;|&lt;|b|&gt;|&#39;|AT&amp;T|&|foo|;"),
        ("caf&eacute;s &auml;", "caf&eacute;s|&auml;"),
    ],
    "numbers": [
        ("1,234.56 .5 -5 +3.1 1:30pm 3.14.15", "1,234.56|.5|-5|+3.1|1:30|pm|3.14.15"),
        ("1/2 3 3/4 3-1/2 12/25/2010 2010-12-25", "1/2|3 3/4|3-1/2|12/25/2010|2010-12-25"),
        ("5% $5 US$5m A$2 £1 20¢ -$5", "5|%|$|5|US$|5m|A$|2|£|1|20|¢|-|$|5"),
        ("(412) 268-7669 or 555-1234 x", "(412) 268-7669|or|555-1234|x"),
        ("1st 20s F-16s 10-year-old x² H₂O ½", "1st|20s|F-16s|10-year-old|x|²|H|₂|O|½"),
        ("5'10\" 6ft 10p.m.", "5|'|10|\"|6ft|10p|.|m."),
    ],
    "joined words": [
        ("state-of-the-art and/or a/b/c/d foo_bar", "state-of-the-art|and/or|a/b/c|/|d|foo_bar"),
        ("AT&T R&D a&b A+B c++ C# x=y", "AT&T|R&D|a|&|b|A+B|c++|C#|x|=|y"),
        ("one.two what?No 3.x y", "one.two|what?No|3.x|y"),
        ("a,b-c Jan.-Feb. x", "a,b-c|Jan.-Feb|.|x"),
    ],
    "marks": [
        ("Wait... what?!! ..... ......x . . .", "Wait|...|what|?!!|.....|.....|.|x|. . ."),
        ("a--b --- - – — ―", "a|--|b|---|-|–|—|―"),
        ("“x” ‘y’ „z“ ``q'' `r' «s» ’”", "“|x|”|‘|y|’|„|z|“|``|q|''|`|r|'|«|s|»|’”"),
        (":-) ;) :D =( >:( x:(y) (^_^) -_- x", ":-)|;)|:D|=(|>:(|x|:|(|y|)|(^_^)|-_-|x"),
        ("*** ** \\* ___ << >> [x] {y} (z)", "***|**|\\*|___|<<|>>|[|x|]|{|y|}|(|z|)"),
    ],
    "other scripts": [
        ("北京发生爆炸 Москва السلام", "北京发生爆炸|Москва|السلام"),
        ("soft\u00adhyphen no\u00a0break zero\u200bwidth", "soft\u00adhyphen|no|break|zero|width"),
        ("Caf\u0065\u0301 ٣٫٥", "Cafe\u0301|٣٫٥"),
    ],
}


@pytest.mark.parametrize(
    ("text", "expected"), [pair for pairs in CONVENTIONS.values() for pair in pairs], ids=lambda value: value[:25]
)
def test_conventions(text, expected):
    assert words(text) == expected


# What docs/nugget-tokenizer.md says about where we differ: the text, our tokens, and those of Stanford.
DIFFERENCES = [
    ("He 😀 x", "He|😀|x", "He|x"),
    ("ok 👍🏽 x", "ok|👍🏽|x", "ok|x"),
    ("👩‍🚀🇩🇪🇫🇷", "👩‍🚀|🇩🇪|🇫🇷", ""),
    ("❤️ x", "❤️|x", "❤|x"),
    ("₽5 「x」 ‐", "₽|5|「|x|」|‐", "5|x"),
    ("vol. Ⅷ x", "vol|.|Ⅷ|x", "vol|.|x"),
    ("they're", "they|'re", "they|'|re"),
    ("see 1.txt", "see|1.txt", "see|1|.|txt"),
    ("“foo.com” #foo.com", "“|foo.com|”|#foo|.|com", "“foo.com|”|#foo.com"),
    ("MFG. Bob", "MFG.|Bob", "MFG|.|Bob"),
    ("\u00ad1,000", "\u00ad1|,000", "\u00ad1,000"),
]


@pytest.mark.parametrize(("text", "ours", "theirs"), DIFFERENCES, ids=[text for text, _, _ in DIFFERENCES])
def test_where_we_differ_from_stanford(text, ours, theirs):
    assert words(text) == ours != theirs


def test_the_documentation_lists_every_difference():
    page = Path(__file__).parents[3] / "docs" / "nugget-tokenizer.md"
    if not page.exists():
        pytest.skip("the documentation is not here")
    content = page.read_text()
    for text, _, _ in DIFFERENCES:
        assert f"`{text}`" in content or text.startswith("\u00ad")


def is_blank(character: str) -> bool:
    """Nothing is to be seen there."""
    return (
        character.isspace()
        or unicodedata.category(character) in ("Cc", "Cf", "Zs", "Zl", "Zp")
        or 0xFE00 <= ord(character) <= 0xFE0F
    )


PIECES = (
    "a I the The U.S. Jan. Mr. No. 5 1,000 3/4 '90s ' '' \" `` “ ” ’ 's n't can't cannot 'tis - -- . ... , ; : ! ? ( ) "
    "[ ] < > / \\ & &amp; &nbsp @ # $ % ^ * = _ US$ http://a.bc/d www.x.com x@y.zz <b> </b> :) x-y O'Neill é 北京 ½ ² "
    "\u00ad \u00a0 \u200b \u0301 😀 🏽 ‍ ️ 🇩 Ph.D. Co. Ltd. (412) 268-7669 x_x file.txt"
)
TEXTS = st.one_of(
    st.text(max_size=40),
    st.text(alphabet="aAn't.,-/&;:!?()<>@#1 \n’\u0301", max_size=40),
    st.lists(
        st.one_of(st.sampled_from(PIECES.split()), st.sampled_from([" ", "\n", "\r\n", "\t", "\u00a0"])), max_size=20
    ).map("".join),
)


@given(TEXTS)
@example("&nbsp;x")
@example("\ufe0f\u200d🏽")
@examples(max_examples=160)
def test_tokens_are_in_order_and_nothing_is_lost(text):
    places = tokenize(text)
    covered = bytearray(len(text))
    last = 0
    for begin, end in places:
        assert last <= begin < end <= len(text)
        assert not is_blank(text[begin]) or text[begin] in "\x80\x85\x91\x92\x93\x94\x96\x97\u00ad"
        assert not text[end - 1].isspace() or text[end - 1] == "\x85"
        covered[begin:end] = b"\1" * (end - begin)
        last = end
    bare = text.replace("&nbsp;", " " * 6)
    assert [c for c, done in zip(bare, covered, strict=True) if not done and not is_blank(c)] == []


@given(TEXTS, st.sampled_from(["", "/-\\", "'.e"]), st.booleans())
@examples(max_examples=100)
def test_tables_survive_being_written_and_read(text, separators, utf16):
    table, _ = table_of(text, "a", separators=separators, utf16=utf16)
    written = write_table(table)
    assert [(t.id, t.begin, t.end) for t in table.tokens] == [
        (str(n), t.begin, t.end) for n, t in enumerate(table.tokens, 1)
    ]
    again = read_table(written.encode("utf-8", "surrogatepass"), "a")
    if not any(0xD800 <= ord(c) <= 0xDFFF for c in text):
        assert [t._replace(line=0) for t in again.tokens] == list(table.tokens)


@given(st.text(max_size=60))
@examples(max_examples=100)
def test_the_shape_is_as_long_as_the_text(text):
    assert len(shape(text)) == len(text)


HOSTILE = [
    *"aA-.(<>1'\"`“’&@#$/\\_=:;,!*^~ é\u0301\u200b😀\u00ad",
    *["a.", "a,", "a;", "a@", "a@.", "a'", "a&", "A&", "a/", "a/b-", "1a.", "1.", "12-", "(12)", "1/", "+1", "a,-"],
    "12 ",
    *("<a ", "<!a", '<a b="', "<a b='", "http://", "http://.", "www.%.", "Jan. <!", "U. ", "U.S. <a ", ". ", "...x"),
    *("&nbsp;", "&apos;", "n't", "can'", "I'", "^_", "('", "😀‍", "🇩", "%a.", "Ph.D. ", "é.é-", "A$", "'9"),
]


@pytest.mark.parametrize("unit", HOSTILE)
def test_hostile_texts_take_no_longer_than_others(unit):
    def seconds(size: int) -> float:
        text = (unit * (size // len(unit) + 1))[:size]
        start = time.process_time()
        tokenize(text)
        return time.process_time() - start

    # Quadratic time would be 16 times as much for four times the text, and minutes for megabytes.
    small = min(seconds(4_000) for _ in range(3))
    assert min(seconds(16_000) for _ in range(3)) < 10 * small + 0.5
