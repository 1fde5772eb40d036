"""What all benchmarks share: rows with bars, measuring, peers, tables."""
