"""Programs that run in a process of their own and print what one piece of work took."""
