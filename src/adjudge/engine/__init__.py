"""Where the work runs: in this process or in several."""
