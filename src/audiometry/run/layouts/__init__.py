"""The prompt layouts, one module each; see `audiometry.run.layout`."""
