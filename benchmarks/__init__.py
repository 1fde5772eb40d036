"""The benchmark house: what adjudge costs, side by side with other programs, in one run (`python -m benchmarks`)."""
