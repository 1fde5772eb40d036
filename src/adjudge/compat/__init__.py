"""Modules with the names, signatures and numbers of packages that people already call: change the import, no more."""
