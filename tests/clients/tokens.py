"""The token of these tests, and its hash in the configuration."""

import hashlib

SECRET = "a-token-for-tests"
TOKEN = hashlib.sha256(SECRET.encode()).hexdigest()
