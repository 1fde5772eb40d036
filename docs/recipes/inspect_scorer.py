"""Inspect: a scorer for extraction whose score of the whole is that of adjudge, and no mean of the samples."""

from inspect_ai.scorer import SampleScore, Score, Target, accuracy, metric, scorer
from inspect_ai.solver import TaskState

import adjudge as aj

TASK, PART = "record.fields", "f1"


@metric
def pooled():
    """The score of all samples together: counts are added, then divided."""

    def compute(scores: list[SampleScore]) -> float:
        state = aj.state(TASK)
        for each in scores:
            found = each.score.metadata
            state.add(found["gold"], found["answer"], id=each.sample_id)
        return float(getattr(state.result(bootstrap=0)[TASK], PART))

    return compute


@scorer(metrics=[accuracy(), pooled()])
def extraction():
    """Fields of the answer that are right; the mean of the samples is shown beside the pooled score."""

    async def score(state: TaskState, target: Target) -> Score:
        gold, answer = target.text, state.output.completion
        own = aj.score(TASK, [gold], [answer], bootstrap=0)[TASK]
        return Score(value=float(getattr(own, PART)), answer=answer, metadata={"gold": gold, "answer": answer})

    return score
