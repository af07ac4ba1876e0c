"""The token of the real clients' tests, and what a configuration keeps of it."""

import hashlib

SECRET = "a-token-for-tests"
TOKEN = hashlib.sha256(SECRET.encode()).hexdigest()
