"""Tasks: each combines formats, metrics and statistics."""
