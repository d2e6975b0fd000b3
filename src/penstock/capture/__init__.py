"""Steps that are recorded once and replayed whole: `penstock.step` and `penstock.repeat`."""
