"""Other people's objects to ours and back: one module per package, which alone imports it."""
