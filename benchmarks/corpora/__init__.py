"""Seeded corpora of every task, at any size."""
