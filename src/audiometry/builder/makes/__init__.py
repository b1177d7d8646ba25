"""What a task can be made of, one module each with a ``MAKE``; see `audiometry.builder.make`."""
