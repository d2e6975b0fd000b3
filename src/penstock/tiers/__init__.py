"""The two ways to run a recorded path: NumPy, which is the definition, and XLA, for paths that recur."""
