"""Records that are sent together."""

import os


class Batch:
    """The JSON texts of records, and the key of every attempt to send them."""

    def __init__(self, texts, notice):
        self.key = os.urandom(16).hex()
        self.entries = texts
        self.notice = notice
        self.count = len(texts)
        self.size = sum(map(len, texts))
        self.body = b"[" + b",".join(texts if notice is None else [*texts, notice]) + b"]"
