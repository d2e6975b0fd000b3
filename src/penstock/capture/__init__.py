"""Steps that are recorded once and replayed as a whole: `penstock.step` and `penstock.repeat`."""
