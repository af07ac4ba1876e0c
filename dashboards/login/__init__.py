"""Who reads the pages: a login with an OpenID Connect provider, with an API token, or none on loopback."""
