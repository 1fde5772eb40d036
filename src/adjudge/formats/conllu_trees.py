"""Dependency trees in CoNLL-U: words with heads, tokens that stand for several words, and the text they cover.

The text of a file is the forms of its tokens without blanks; every token and sentence is a range of it, so that two
files with different tokens can be compared. A word within a multiword token has the range of the whole token. Empty
nodes are skipped.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

from adjudge.errors import Problem
from adjudge.findings import field_column, raise_problems
from adjudge.formats.source import Source, read_text, reads
from adjudge.model.document import Corpus, Document

COLUMNS = 10

# fmt: off
CONTENT = frozenset((
    "nsubj", "obj", "iobj", "csubj", "ccomp", "xcomp", "obl", "vocative", "expl", "dislocated", "advcl", "advmod",
    "discourse", "nmod", "appos", "nummod", "acl", "amod", "conj", "fixed", "flat", "compound", "list", "parataxis",
    "orphan", "goeswith", "reparandum", "root", "dep",
))
FUNCTIONAL = frozenset(("aux", "cop", "mark", "det", "clf", "case", "cc"))
UNIVERSAL = frozenset((
    "PronType", "NumType", "Poss", "Reflex", "Foreign", "Abbr", "Gender", "Animacy", "Number", "Case", "Definite",
    "Degree", "VerbForm", "Mood", "Tense", "Aspect", "Voice", "Evident", "Polarity", "Person", "Polite",
))
# fmt: on

ROOT = -1


class Word(NamedTuple):
    """A word: the range of its token, and its columns; `head` is the place of its head in the file, or ROOT."""

    start: int
    end: int
    multiword: bool
    form: str
    lemma: str
    upos: str
    xpos: str
    feats: str
    label: str
    head: int


class TreeSentence(NamedTuple):
    """A sentence: its id, its first line, its range of the text, and the places of its words."""

    id: str
    line: int
    start: int
    end: int
    first: int
    last: int  # the place after its last word


class Treebank(NamedTuple):
    """A file of trees."""

    place: str
    digest: str
    text: str
    tokens: list[tuple[int, int]]
    words: list[Word]
    sentences: list[TreeSentence]


@reads("CoNLL-U", "conllu", reader_option=True)
def read_treebank(source: Source, *, full: bool = False, name: str | None = None) -> Treebank:
    """The trees of a file; `full` keeps subtypes of relations (`obl:tmod`) and features that are not universal.

    >>> row = "1\\tEat\\teat\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"
    >>> read_treebank(row.encode()).words[0].label
    'root'
    """
    whole, text = read_text(source, name=name)
    scan = _Scan(whole.place, _whole if full else _universal, (lambda label: label) if full else _basic)
    lines = text.removesuffix("\n").split("\n") if text else []
    if "\r" in text:
        lines = [line.removesuffix("\r") for line in lines]
    for number, line in enumerate(lines, 1):
        if not line:
            scan.finish(number)
        elif "\t" not in line and line[0] == "#" and not scan.open:
            scan.comment(line)
        elif line[0] == "#" and not scan.open:
            continue
        else:
            scan.row(number, line)
    if scan.open:
        scan.wrong(len(lines) + 1, "the file does not end with an empty line", "is it complete? add the line")
    if not scan.words and not scan.problems:
        scan.wrong(None, "the file has no words", "write the ten columns of each word")
    raise_problems(scan.problems, whole.place)
    return Treebank(whole.place, whole.digest, "".join(scan.forms), scan.tokens, scan.words, scan.sentences)


def _whole(feats: str) -> str:
    return "" if feats == "_" else "|".join(sorted(feats.split("|")))


def _universal(feats: str) -> str:
    """The universal features, sorted.

    >>> _universal("Number=Sing|Typo=Yes|Case=Nom")
    'Case=Nom|Number=Sing'
    """
    return "|".join(sorted(feat for feat in feats.split("|") if feat.partition("=")[0] in UNIVERSAL))


def _basic(label: str) -> str:
    return label.partition(":")[0]


def _without_blanks(form: str) -> str:
    if form.isascii():
        return form.replace(" ", "")
    return "".join(character for character in form if unicodedata.category(character) != "Zs")


class _Scan:
    """The state of reading."""

    def __init__(self, place: str, feats: Callable[[str], str], label: Callable[[str], str]) -> None:
        self.place = place
        self.feats, self.label = cache(feats), cache(label)  # columns with few distinct values
        self.forms: list[str] = []
        self.tokens: list[tuple[int, int]] = []
        self.words: list[Word] = []
        self.sentences: list[TreeSentence] = []
        self.problems: list[Problem] = []
        self.offset = 0  # characters so far
        self.id = ""
        self.open = self.broken = False
        self.line = self.first = self.start = self.until = 0
        self.rows: list[tuple[int, Sequence[str], tuple[int, int], bool]] = []

    def wrong(self, line: int | None, message: str, hint: str, column: int | None = None) -> None:
        """One more problem."""
        self.broken = True
        self.problems.append(Problem(message, path=self.place, line=line, column=column, hint=hint))

    def comment(self, line: str) -> None:
        """A line before a sentence, which may have the sentence's id."""
        key, equals, value = line[1:].partition("=")
        if equals and key.strip() == "sent_id":
            self.id = value.strip()

    def row(self, number: int, line: str) -> None:
        """A token or a word."""
        if not self.open:
            self.open, self.line = True, number
            self.first, self.start, self.until = len(self.words), self.offset, 0
        columns = line.split("\t")
        if len(columns) != COLUMNS:
            return self.wrong(number, f"{len(columns)} columns instead of {COLUMNS}", "separate ten columns by TABs")
        identifier = columns[0]
        expected = len(self.rows) + 1
        if identifier == str(expected):
            if expected > self.until:
                self.rows.append((number, columns, self._token(number, columns), False))
            else:
                self.rows.append((number, columns, self.tokens[-1], True))
            return None
        if "." in identifier:
            return None
        first, dash, last = identifier.partition("-")
        if not dash or first != str(expected) or not last.isdecimal() or not last.isascii() or len(last) > 9:
            message = f"the id is {identifier!r} instead of {expected}"
            return self.wrong(number, message, "number words from 1 without gaps", 1)
        if int(last) < expected or expected <= self.until:
            message = f"the range {identifier} cannot stand here"
            return self.wrong(number, message, "write ranges before their first word", 1)
        self._token(number, columns)
        self.until = int(last)
        return None

    def _token(self, number: int, columns: Sequence[str]) -> tuple[int, int]:
        form = _without_blanks(columns[1])
        if not form:
            self.wrong(
                number, "the form is empty", "write the characters of the token", field_column("\t".join(columns), 2)
            )
        self.forms.append(form)
        start, self.offset = self.offset, self.offset + len(form)
        self.tokens.append((start, self.offset))
        return self.tokens[-1]

    def finish(self, number: int) -> None:
        """The end of a sentence: its heads become places."""
        if not self.open:
            return
        size = len(self.rows)
        if self.until > size:
            self.wrong(number, f"the last multiword token needs {self.until} words, here are {size}", "write its words")
        if not self.broken:
            self._words(size)
        name = self.id or f"sentence-{len(self.sentences) + 1}"
        self.sentences.append(TreeSentence(name, self.line, self.start, self.offset, self.first, len(self.words)))
        self.id, self.rows = "", []
        self.open = self.broken = False

    def _words(self, size: int) -> None:
        heads: list[int] = []
        for number, columns, _, _ in self.rows:
            given = columns[6]
            if given.isdecimal() and given.isascii() and len(given) < 10 and int(given) <= size:
                heads.append(int(given))
            else:
                hint = f"give the id of a word of the sentence (1 to {size}), or 0"
                self.wrong(number, f"the head is {given!r}", hint, field_column("\t".join(columns), 7))
        if self.broken:
            return
        roots = heads.count(0)
        if roots != 1:
            self.wrong(self.line, f"the sentence has {roots} roots", "let one word have the head 0")
            return
        cycle = _cycle(heads)
        if cycle is not None:
            self.wrong(self.rows[cycle][0], "the word is its own ancestor", "fix the heads")
            return
        feats, label, first = self.feats, self.label, self.first
        for (_, columns, (start, end), multiword), head in zip(self.rows, heads, strict=True):
            _, form, lemma, upos, xpos, features, _, relation, _, _ = columns
            self.words.append(
                Word(
                    start,
                    end,
                    multiword,
                    form if multiword else _without_blanks(form),
                    lemma,
                    upos,
                    xpos,
                    feats(features),
                    label(relation),
                    first + head - 1 if head else ROOT,
                )
            )


def _cycle(heads: Sequence[int]) -> int | None:
    """The place of a word that is its own ancestor, if there is one.

    >>> _cycle([2, 0, 2]), _cycle([2, 1, 0])
    (None, 0)
    """
    done = [False] * len(heads)
    for word in range(len(heads)):
        path = []
        here = word
        while here >= 0 and not done[here]:
            done[here] = True
            path.append(here)
            here = heads[here] - 1
        if here >= 0 and here in path:
            return here
    return None


# ---------------------------------------------------------------------------------------------------------------------
# Documents


def read_conllu_trees(source: Source, *, full: bool = False, name: str | None = None) -> Corpus:
    """The sentences of a file as documents: their words with heads, relations, lemmas, tags and features.

    >>> row = "1\\tEat\\teat\\tVERB\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"
    >>> read_conllu_trees(row.encode()).documents[0].data["dependencies"][0]["label"]
    'root'
    """
    bank = read_treebank(source, full=full, name=name)
    names = unique_names(bank)
    documents = []
    for identifier, sentence in zip(names, bank.sentences, strict=True):
        places = range(sentence.first, sentence.last)
        data = {
            "id": identifier,
            "text": bank.text[sentence.start : sentence.end],
            "dependencies": described(bank, places, {place: place - sentence.first + 1 for place in places}),
        }
        documents.append(Document(id=identifier, data=data, line=sentence.line))
    return Corpus(path=bank.place, documents=tuple(documents), digest=bank.digest)


def read_conllu_full(source: Source, *, name: str | None = None) -> Corpus:
    """The same, with the subtypes of relations and all features."""
    return read_conllu_trees(source, full=True, name=name)


def unique_names(bank: Treebank) -> list[str]:
    """The ids of the sentences, or their numbers if two sentences have the same id.

    >>> unique_names(read_treebank(b"1\\tEat\\t_\\t_\\t_\\t_\\t0\\troot\\t_\\t_\\n\\n"))
    ['sentence-1']
    """
    names = [sentence.id for sentence in bank.sentences]
    if len(set(names)) == len(names):
        return names
    return [f"sentence-{number}" for number in range(1, len(names) + 1)]


def described(bank: Treebank, places: Sequence[int], numbers: dict[int, int]) -> list[dict[str, Any]]:
    """Some words of a file as the fields of a document; `numbers` are their ids, and those of other words."""
    words = bank.words
    found: dict[int, dict[str, Any]] = {}
    for place in places:
        word = words[place]
        found[place] = {
            "dependent": numbers[place],
            "head": numbers.get(word.head, 0),
            "label": word.label,
            "form": word.form,
            "lemma": word.lemma,
            "upos": word.upos,
            "xpos": word.xpos,
            "feats": word.feats,
            "functional": [],
            "token": [word.start, word.end],
            "multiword": word.multiword,
        }
    for place in places:
        word = words[place]
        if word.head in found and word.label.partition(":")[0] in FUNCTIONAL:
            found[word.head]["functional"].append([numbers[place], word.label, word.upos, word.feats])
    return list(found.values())
