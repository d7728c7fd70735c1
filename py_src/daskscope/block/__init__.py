"""A block of code as a recording of its own: `with daskscope.record() as rec`."""

from daskscope.block.block import Block, record

__all__ = ["Block", "record"]
