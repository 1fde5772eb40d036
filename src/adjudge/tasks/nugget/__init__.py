"""Event nuggets: what is wrong with a submission, how systems score against gold, and where they differ."""
