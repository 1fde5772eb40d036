"""Published scoring programs, one file each: what they count and print, with everything they do differently.

A file declares a `Scorer` with a name and a family, and is found by looking.
"""

from adjudge.rooms import Option
from adjudge.scorers.published import Published, Scorer

__all__ = ["Option", "Published", "Scorer"]
