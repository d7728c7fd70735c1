"""Record a block of code: `with daskscope.record() as rec`."""

from daskscope.block.block import Block, record

__all__ = ["Block", "record"]
