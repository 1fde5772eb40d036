"""What the lines of a Cold Start knowledge base say, collected by node, before it is looked at as a whole."""

from __future__ import annotations

from adjudge.formats.kb_coldstart_lines import LineReader, Node, shown
from adjudge.formats.kb_coldstart_schema import ENTITY_TYPES, EVENT_TYPES, STRING
from adjudge.model.kbp import Fact, Span


class Said:
    """A mention as some line says it."""

    __slots__ = ("canonical", "confidence", "line", "realis", "text")

    def __init__(self, text: str, confidence: float, realis: str, line: int) -> None:
        self.text = text
        self.confidence = confidence
        self.realis = realis
        self.line = line
        self.canonical = False


class NodeParts:
    """All that is said of one node; `mentions` by document, start, end and level."""

    __slots__ = ("canonical", "confidence", "id", "kind", "line", "links", "mentions", "type")

    def __init__(self, node: Node, line: int) -> None:
        self.id = node.id
        self.kind = node.kind
        self.line = line
        self.type = ""
        self.confidence = 1.0
        self.links: dict[str, float] = {}
        self.mentions: dict[tuple[str, int, int, str], Said] = {}
        self.canonical: dict[str, list[tuple[int, int, Said]]] = {}


class Parts:
    """Takes the assertions of one file."""

    def __init__(self, reader: LineReader) -> None:
        self.reader = reader
        self.nodes: dict[str, NodeParts] = {}
        self.facts: dict[tuple[object, ...], tuple[Fact, int]] = {}  # by all but the confidence, with the line

    def _node(self, node: Node) -> NodeParts:
        parts = self.nodes.get(node.id)
        if parts is None:
            parts = self.nodes[node.id] = NodeParts(node, self.reader.line)
        return parts

    def _repeated(self) -> None:
        message = "the same assertion once more"
        self.reader.warn("duplicate-assertion", 0, message, "leave it out", repair="the more confident one is kept")

    def add_type(self, node: Node, raw: str, confidence: float) -> None:
        """The type of a node."""
        parts = self._node(node)
        type_ = raw.upper() if raw.upper() in (*ENTITY_TYPES, STRING) else raw
        if parts.type.lower() == type_.lower():
            self._repeated()
            parts.confidence = max(parts.confidence, confidence)
            return
        if parts.type:
            message = f"the node {node.id} has more than one type, {parts.type} and {type_}"
            self.reader.error("several-types", 3, message, "keep one of them", repair="the first is kept")
            return
        parts.type, parts.confidence = type_, confidence
        kind = "event" if raw.lower() in EVENT_TYPES else "string" if type_ == STRING else "entity"
        if type_ not in (*ENTITY_TYPES, STRING) and kind != "event":
            known = ", ".join((*ENTITY_TYPES, STRING))
            message = f"there is no type {shown(type_)}"
            self.reader.error("illegal-type", 3, message, f"write {known} or the type of an event", repair="kept")
        elif kind != node.kind:
            message = f"the node {node.id} cannot have the type {type_}"
            self.reader.error("incompatible-name", 1, message, f"call it :{kind.capitalize()}...", repair="kept")

    def add_link(self, node: Node, target: str, confidence: float) -> None:
        """A link of a node to another knowledge base."""
        links = self._node(node).links
        base = target.partition(":")[0]
        if target in links:
            self._repeated()
        elif any(each.partition(":")[0] == base for each in links):
            message = f"the node {node.id} has more than one link to {base}"
            self.reader.warn("several-links", 3, message, "keep the best one")
        links[target] = max(confidence, links.get(target, 0.0))

    def add_mention(
        self, node: Node, level: str, text: str, document: str, span: Span, confidence: float, realis: str
    ) -> None:
        """A mention of a node; an empty level is its canonical mention."""
        start, end = span
        parts = self._node(node)
        said = Said(text, confidence, realis, self.reader.line)
        if not level:
            known = parts.canonical.setdefault(document, [])
            if any(each[:2] == (start, end) for each in known):
                self._repeated()
            else:
                known.append((start, end, said))
            return
        key = document, start, end, level
        before = parts.mentions.get(key)
        if before is None:
            parts.mentions[key] = said
        elif before.text != text:
            message = f"{document}:{start}-{end - 1} is {shown(text)} here and {shown(before.text)} elsewhere"
            hint = f"write the same text as in line {before.line}"
            self.reader.error("several-strings", 3, message, hint, repair="the first is kept")
        else:
            self._repeated()
            before.confidence = max(before.confidence, confidence)

    def add_fact(self, fact: Fact) -> None:
        """A relation; of the same one with the same provenance the more confident is kept, then the earlier."""
        key = (*fact[:5], fact.realis, fact.literal)
        before = self.facts.get(key)
        if before is None:
            self.facts[key] = fact, self.reader.line
            return
        self._repeated()
        if fact.confidence > before[0].confidence:
            self.facts[key] = before[0]._replace(confidence=fact.confidence), before[1]
