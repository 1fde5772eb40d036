"""Event arguments and linking: check, filter, pool, assess and link the responses of systems."""
