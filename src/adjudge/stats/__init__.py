"""From counts per document to scores with intervals: tables, measures, reductions, resampling, results."""
