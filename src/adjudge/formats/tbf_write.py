"""Writing TBF files that are read back as they were meant."""

from __future__ import annotations

from collections.abc import Iterable

from adjudge.errors import Problem, ValidationError, more_problems
from adjudge.model.nugget import Nugget, NuggetDocument

LIMIT = 100  # problems listed
_CUTS = frozenset("\t\n")
_BLANKS = " \t\n\r\x0b\x0c"


def write_tbf(documents: Iterable[NuggetDocument], *, system: str | None = None, path: str | None = None) -> str:
    """The text of a file; `system` replaces the system ids, `path` is where the documents came from, for messages.

    Line breaks and TABs in the text of a mention become blanks; anywhere else they are an error, as is everything that
    would be read back as something else.

    >>> nugget = Nugget("E1", "Life_Marry", "Actual", "got married", tokens=("t3", "t4"))
    >>> print(write_tbf([NuggetDocument("sample", [nugget])], system="mine"), end="")
    #BeginOfDocument sample
    mine	sample	E1	t3,t4	got married	Life_Marry	Actual
    #EndOfDocument
    """
    problems: list[Problem] = []
    parts: list[str] = []
    for document in documents:
        here = _Writing(document, path, problems)
        parts.append(f"#BeginOfDocument {here.name(document.id, 'document id')}\n")
        for nugget in document.nuggets:
            parts.append(here.mention(nugget, system))
        for relation in document.relations:
            name = here.name(relation.name, "relation name")
            arguments = ",".join([here.item(each, "mention id", ",") for each in relation.arguments])
            parts.append(f"@{name}\t{here.name(relation.id, 'relation id')}\t{arguments}\n")
        parts.append("#EndOfDocument\n")
    if problems:
        if len(problems) > LIMIT:
            problems[LIMIT:] = [more_problems(len(problems) - LIMIT, path)]
        raise ValidationError(problems)
    return "".join(parts)


class _Writing:
    """One document on its way out."""

    def __init__(self, document: NuggetDocument, path: str | None, problems: list[Problem]) -> None:
        self.document = document
        self.path = path
        self.problems = problems
        self.line = document.line

    def mention(self, nugget: Nugget, system: str | None) -> str:
        """The line of a nugget."""
        self.line = nugget.line or self.document.line
        if nugget.tokens and nugget.pieces:
            self._refuse(f"mention {nugget.id!r} has tokens and characters", "keep one of them")
        if nugget.pieces:
            span = ";".join([f"{begin},{end}" for begin, end in nugget.pieces])
        elif nugget.tokens:
            span = ",".join([self.item(each, "token id", ",") for each in nugget.tokens])
        else:
            span = ""
            self._refuse(f"mention {nugget.id!r} has neither tokens nor characters", "give it a place, or leave it out")
        first = self.name(nugget.system or "system" if system is None else system, "system id")
        if first[:1] in ("#", "@"):
            self._refuse(f"the system id {first!r} would make the line a comment or a relation", "choose another")
        columns = [
            first,
            self.document.id,
            self.item(nugget.id, "mention id"),
            span,
            " ".join(nugget.text.split("\t")).replace("\n", " ").replace("\r", " "),
            self.item(nugget.type, "type"),
            self.name(nugget.realis, "realis"),
            *[self.item(each, "confidence") for each in nugget.confidence],
        ]
        line = "\t".join(columns)
        if line != line.rstrip(_BLANKS):
            self._refuse(f"mention {nugget.id!r} ends in an empty column", "leave it out")
        return line + "\n"

    def name(self, text: str, what: str) -> str:
        """A value that stands at the end of a line or begins one, where blanks would be lost."""
        if text != text.strip(_BLANKS) or not text:
            self._refuse(f"the {what} {text!r} is empty or begins or ends with a blank", "give it a name")
        return self.item(text, what)

    def item(self, text: str, what: str, *cuts: str) -> str:
        """A value that must not be cut when it is read back."""
        if not _CUTS.isdisjoint(text) or any(cut in text for cut in cuts):
            self._refuse(f"the {what} {text!r} has a TAB, line break or comma in it", "rename it")
        return text

    def _refuse(self, message: str, hint: str) -> None:
        message = f"{message}, in document {self.document.id!r}"
        self.problems.append(Problem(message, path=self.path, line=self.line or None, hint=hint))
