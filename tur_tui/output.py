"""The only writer of stdout."""

import sys

from tur.report import Output

OUTPUT = Output(lambda: sys.stdout)

emit_json, emit_text, flush = OUTPUT.emit_json, OUTPUT.emit_text, OUTPUT.flush
