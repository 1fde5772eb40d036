"""One module per file format, text to model and back."""
