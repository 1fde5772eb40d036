"""adjudge: the evaluation toolkit for information extraction."""

from adjudge._version import __version__

__all__ = ["__version__"]
