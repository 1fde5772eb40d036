"""A task puts formats, metrics and statistics together."""
