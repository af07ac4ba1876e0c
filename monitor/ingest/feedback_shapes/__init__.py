"""The formats of feedback from other products' clients, one pure function for each format."""
