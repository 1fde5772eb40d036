"""DeepEval: `ExtractionMetric(threshold=0.8)` for test cases whose expected output is a record."""

from deepeval.metrics import BaseMetric
from deepeval.test_case import LLMTestCase

import adjudge as aj


class ExtractionMetric(BaseMetric):
    """F1 of the fields of one answer; for the score of all cases together, give them to `adjudge.score` at once."""

    def __init__(self, threshold: float = 0.8) -> None:
        self.threshold = threshold
        self.async_mode = False

    def measure(self, test_case: LLMTestCase, *_: object, **__: object) -> float:
        """Score one test case."""
        result = aj.score("record.fields", [test_case.expected_output], [test_case.actual_output], bootstrap=0)
        self.score, self.reason = float(result["record.fields"].f1), str(result)
        self.success = self.score >= self.threshold
        return self.score

    async def a_measure(self, test_case: LLMTestCase, *_: object, **__: object) -> float:
        """The same."""
        return self.measure(test_case)

    def is_successful(self) -> bool:
        """Whether the last one passed."""
        return bool(self.success)

    @property
    def __name__(self) -> str:
        return "record.fields"
