"""Files as numbered records, whatever they are written in; what a record says is read by whoever stores it."""
