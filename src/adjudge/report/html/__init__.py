"""Pages: one self-contained HTML file for each task, which opens from disk and asks no network for anything."""
