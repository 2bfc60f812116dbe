"""Records that are sent together."""

import os


class Batch:
    """Texts of records, and the key that every attempt to send them has."""

    def __init__(self, texts, notice):
        self.key = os.urandom(16).hex()
        self.entries = texts
        self.notice = notice
        self.count = len(texts)
        self.size = sum(map(len, texts))
        self.body = b"[" + b",".join(texts if notice is None else [*texts, notice]) + b"]"
