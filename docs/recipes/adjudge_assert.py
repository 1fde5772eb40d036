"""promptfoo: `assert: [{type: python, value: file://adjudge_assert.py}]`, with the gold record in `vars.expected`.

Named scores are added over the tests, so these are counts, and F1 of all tests is made of them in the configuration:

    derivedMetrics: [{name: f1, value: '2 * correct / (answered + gold)'}]
"""

import adjudge as aj


def get_assert(output, context):
    """What promptfoo shows of one answer."""
    result = aj.score("record.fields", [context["vars"]["expected"]], [output], bootstrap=0)
    counts = result.systems[0].table.totals
    names = {"correct": "matched", "answered": "system", "gold": "gold"}
    f1 = float(result["record.fields"].f1)
    return {
        "pass": f1 == 1,
        "score": f1,
        "reason": str(result),
        "namedScores": {name: counts[f"record.fields:{column}"] for name, column in names.items()},
    }
