"""A result as text, JSON, CSV, Markdown or LaTeX, and files written atomically."""
