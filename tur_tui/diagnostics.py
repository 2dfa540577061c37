"""The only writer of stderr."""

import sys

from tur.report import Diagnostics

DIAGNOSTICS = Diagnostics(lambda: sys.stderr)

note = DIAGNOSTICS.note
