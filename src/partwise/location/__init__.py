"""Locates texts in documents: exactly, or in looser readings, each with offsets into the documents as they are.

`readings` and `markup` are the forms in which texts are compared, `search` finds all matches of a string, `ellipsis`
and `fuzzy` are the two readings that are more than a form, `finding` tries them from the strictest to the loosest,
`prefixes` recognises headers that were put before chunks, and `unplaced` treats texts without exactly one place.
"""

from __future__ import annotations

from partwise.location import prefixes as prefixes
from partwise.location.finding import DEFAULT as DEFAULT
from partwise.location.finding import Finder as Finder
from partwise.location.finding import Located as Located
from partwise.location.finding import Locations as Locations
from partwise.location.finding import Matching as Matching
from partwise.location.finding import Place as Place
from partwise.location.finding import TextToFind as TextToFind
from partwise.location.finding import locate as locate
from partwise.location.readings import normalised as normalised
from partwise.location.unplaced import ERROR as ERROR
from partwise.location.unplaced import FIRST as FIRST
from partwise.location.unplaced import KEEP as KEEP
from partwise.location.unplaced import SKIP as SKIP
from partwise.location.unplaced import problem_of as problem_of
from partwise.location.unplaced import settled as settled
