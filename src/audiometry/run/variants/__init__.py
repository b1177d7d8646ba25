"""Variants in which an item comes without its own clip, one module each; see `audiometry.run.variant`."""
