"""A block of code as a recording of its own: `with daskscope.record() as rec`.

block.py          where it begins and ends, and the recording of what lies between
holds.py          the session that it needs
facts.py          what is known of it besides its tables
writing.py        the file of a long one, written while it grows
report_block.py   `with daskscope.performance_report()`: one that is written as a report
"""

from daskscope.block.block import Block, record

__all__ = ["Block", "record"]
