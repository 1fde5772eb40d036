"""Fuzzing: every reader is fed with files that are almost right, and with files that are not."""
