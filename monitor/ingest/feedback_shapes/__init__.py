"""Shapes feedback arrives in from other products' clients, one pure function a shape."""
