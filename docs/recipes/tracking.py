"""MLflow and W&B: scores and the ends of their intervals by name, and the page as an artefact."""

import adjudge as aj


def log_to_mlflow(result: aj.Result) -> None:
    """Log to the active run of MLflow."""
    import mlflow

    mlflow.log_metrics(result.to_flat())
    mlflow.set_tag("adjudge.signature", result.signature)


def log_to_wandb(result: aj.Result, run) -> None:
    """Log to a run of W&B."""
    run.log(result.to_flat())
    run.summary["adjudge.signature"] = result.signature
