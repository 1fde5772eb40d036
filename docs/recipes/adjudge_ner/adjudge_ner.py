"""HF evaluate: `evaluate.load("docs/recipes/adjudge_ner")`, with the keys that the metric `seqeval` has."""

import datasets

import adjudge as aj
import evaluate


class AdjudgeNer(evaluate.Metric):
    """Entities of lists of tags."""

    def _info(self):
        tags = datasets.Sequence(datasets.Value("string"))
        features = datasets.Features({"predictions": tags, "references": tags})
        return evaluate.MetricInfo(
            description="Named entities by adjudge.", citation="", inputs_description="", features=features
        )

    def _compute(self, predictions, references):
        whole = aj.score("ner.strict", references, predictions, bootstrap=0, by="entities.type")["ner.strict"]
        parts = ("precision", "recall", "f1")
        found = {f"overall_{part}": float(getattr(whole, part)) for part in parts}
        for kind in sorted({tag[2:] for tags in references for tag in tags if tag != "O"}):
            own = whole.where(**{"entities.type": kind})
            found[kind] = {part: float(getattr(own, part)) for part in parts}
        return found
