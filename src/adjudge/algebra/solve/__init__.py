"""Solvers: arrays in, arrays out. Nothing in here knows what a metric is."""
