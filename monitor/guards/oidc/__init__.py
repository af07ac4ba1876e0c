"""ID tokens of an OpenID Connect provider: their signature and claims, and the roles of their groups."""
