"""The family of events."""

from __future__ import annotations

from adjudge.tasks.catalogue.family import Compat, Family, Option, Reader

FAMILY = Family(
    name="event",
    about="Events: triggers and arguments.",
    metrics=("event.trigger-id", "event.trigger-cls", "event.argument-id", "event.argument-cls"),
    readers={
        "oneie": Reader("OneIE, one sentence per line, input or output", "adjudge.formats.oneie:read_oneie"),
        "textee": Reader("TextEE, one window per line, data or predictions", "adjudge.formats.oneie:read_textee"),
        "dygie": Reader(
            "DyGIE++, one document per line",
            "adjudge.formats.dygie:read_dygie",
            "adjudge.formats.dygie:read_dygie_output",
        ),
        "rams": Reader(
            "RAMS, one event per line; predictions have no event type",
            "adjudge.formats.rams:read_rams",
            metrics=("event.argument-id(attach=span)", "event.argument-cls(attach=span)"),
        ),
        "wikievents": Reader("WikiEvents, one document per line", "adjudge.formats.wikievents:read_wikievents"),
        "omnievent": Reader("OmniEvent's unified format", "adjudge.formats.omnievent:read_omnievent"),
    },
    compats={
        "textee": Compat("TextEE: sets, arguments by type and attached", "adjudge.tasks.catalogue.textee:run"),
        "oneie": Compat("OneIE: lists, the first gold trigger of a span", "adjudge.tasks.catalogue.oneie:run"),
        "dygie": Compat("DyGIE++: one type per token, lists of arguments", "adjudge.tasks.catalogue.dygie_events:run"),
        "omnievent": Compat(
            "OmniEvent: labels of candidates",
            "adjudge.tasks.catalogue.omnievent:run",
            {
                "mode": Option(
                    "omnievent: which triggers the arguments are scored of.", choices=("loose", "default", "strict")
                ),
                "paradigm": Option(
                    "omnievent: candidates, or words as a sequence-to-sequence model gives them.",
                    choices=("candidates", "seq2seq"),
                ),
            },
        ),
        "rams": Compat(
            "the scorer of RAMS, precision and recall exchanged as it prints them",
            "adjudge.tasks.catalogue.rams:run",
            {"constrained": Option("rams: multiplicities of roles, for type-constrained decoding.", "FILE")},
        ),
        "gen-arg": Compat(
            "the scorer of generated arguments on WikiEvents",
            "adjudge.tasks.catalogue.gen_arg:run",
            {
                "templates": Option("gen-arg: the template and roles of every event type.", "FILE", required=True),
                "coref": Option("gen-arg: clusters of mentions, for its coreference scores.", "FILE"),
            },
        ),
    },
    example="adjudge event score gold.jsonl system.jsonl --reader oneie",
    options={
        "triggers": Option(
            "Score arguments of the system's events, or only at gold triggers.", choices=("system", "gold")
        ),
        "spans": Option("Compare whole spans, or the heads that the documents give.", choices=("full", "head")),
        "clusters": Option("Mentions that corefer (WikiEvents form): any mention of an entity is right.", "FILE"),
    },
    adjust="adjudge.tasks.catalogue.event_adjust:adjust",
)
