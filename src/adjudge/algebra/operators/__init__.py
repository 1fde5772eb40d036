"""Physical operators: one per kind of node, each the fastest exact way to compute it."""
