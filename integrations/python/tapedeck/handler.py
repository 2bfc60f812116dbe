"""A handler for Python's logging. Accepts records immediately, and sends them in batches from a separate thread."""

import json
import logging
import math
import os
import sys
import threading
import time
from collections import deque
from datetime import datetime, timedelta, timezone

from .batch import Batch
from .processes import flush_before_exit
from .requests import Refused, Unreachable, post_batch

_ATTRIBUTES = frozenset(logging.makeLogRecord({}).__dict__) | {"message", "asctime", "taskName"}
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_BATCH_BYTES_MAX = 1024 * 1024
_QUEUE_BYTES_MAX = 32 * 1024 * 1024
_DEPTH_MAX = 16
_PAUSE_MIN = 0.5  # seconds, doubling
_PAUSE_MAX = 30.0
_FLUSH_PAUSE = 0.25
_LEAD_MICROS_MAX = 10_000_000  # bursts of records run ahead of the clock by far less
_TEXT_BYTES_MAX = 64 * 1024  # the service refuses longer messages


class TapedeckHandler(logging.Handler):
    """`resource` is the logger's name by default. `dropped` counts the records that could not be sent.

    Repeats a batch with the same key and bytes until the service answers. Drops new records when the queue is full: it holds
    `queue_entries_max` records, and at most 32 MiB.
    """

    def __init__(
        self,
        url,
        token,
        dataset="default",
        resource=None,
        level=logging.NOTSET,
        batch_entries_max=1000,
        flush_interval=1.0,
        queue_entries_max=100_000,
        request_timeout=30.0,
    ):
        super().__init__(level)
        self.dropped = 0
        self._address = (url.rstrip("/"), token, dataset)
        self._resource = resource
        self._batch_entries_max = batch_entries_max
        self._flush_interval = flush_interval
        self._queue_entries_max = queue_entries_max
        self._request_timeout = request_timeout
        self._last_micros = 0
        self._reset()
        flush_before_exit(self)

    def emit(self, record):
        try:
            text = self._write_entry(record)
        except Exception:
            self.handleError(record)
            return
        self._reset_after_fork()
        with self._changed:
            is_full = len(self._queue) >= self._queue_entries_max or self._bytes + len(text) > _QUEUE_BYTES_MAX
            if self._is_refused or self._is_closed or is_full:
                self.dropped += 1
                return
            self._queue.append(text)
            self._bytes += len(text)
            self._written += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="tapedeck", daemon=True)
                self._thread.start()
            if len(self._queue) == 1 or len(self._queue) >= self._batch_entries_max:
                self._changed.notify_all()

    def flush(self, timeout=5.0):
        """Sends everything written before the call. Returns True if all of it was stored in time."""
        self._reset_after_fork()
        deadline = time.monotonic() + timeout
        with self._changed:
            goal = self._written
            lost_before = self._lost
            self._is_flushing = True
            self._flushes += 1
            self._changed.notify_all()
            while (self._confirmed < goal or self._has_unreported_drops() or self._is_reporting) and not self._is_refused:
                rest = deadline - time.monotonic()
                if rest <= 0 or self._thread is None:
                    return self._confirmed >= goal
                self._changed.wait(rest)
            return self._confirmed >= goal and self._lost == lost_before

    def close(self):
        self.flush()
        with self._changed:
            self._is_closed = True
            self.dropped += len(self._queue)
            self._queue.clear()
            self._changed.notify_all()
        super().close()

    def _reset_after_fork(self):
        """Starts over in a forked process, which has no threads. Locks may stay held, and the parent sends what it wrote itself."""
        if self._process != os.getpid():
            self._reset()

    def _reset(self):
        self._process = os.getpid()
        self._changed = threading.Condition()
        self._queue = deque()
        self._bytes = 0  # size of queued and unconfirmed records
        self._thread = None
        self._written = 0
        self._confirmed = 0
        self._lost = 0  # how many of them had been queued
        self._reported = self.dropped
        self._is_reporting = False
        self._is_flushing = False
        self._flushes = 0
        self._is_refused = False
        self._is_closed = False

    def _run(self):
        failures = 0
        batch = None
        while True:
            if batch is None:
                batch = self._next_batch()
                if batch is None:
                    return
            try:
                post_batch(self._address, batch, self._request_timeout)
                self._confirm(batch)
                batch, failures = None, 0
            except Refused as refusal:
                batch = self._handle_refusal(batch, refusal)
            except Unreachable as failure:
                pause = failure.retry_after
                self._pause(min(_PAUSE_MIN * 2**failures, _PAUSE_MAX) if pause is None else pause)
                failures += 1
            with self._changed:
                if self._is_refused or (self._is_closed and batch is None and not self._queue):
                    return

    def _next_batch(self):
        """Waits until a batch is full or old enough, or flush() asks for it. Returns None at the end."""
        with self._changed:
            while not self._queue and not self._has_unreported_drops() and not self._is_closed:
                self._changed.wait()
            if not self._queue and not self._has_unreported_drops():
                return None
            deadline = time.monotonic() + self._flush_interval
            while len(self._queue) < self._batch_entries_max and not self._is_flushing and not self._is_closed:
                rest = deadline - time.monotonic()
                if rest <= 0:
                    break
                self._changed.wait(rest)
            texts, size = [], 0
            while self._queue and len(texts) < self._batch_entries_max:
                size += len(self._queue[0])
                if texts and size > _BATCH_BYTES_MAX:
                    break
                texts.append(self._queue.popleft())
            if not self._queue:
                self._is_flushing = False
            return Batch(texts, self._make_notice())

    def _has_unreported_drops(self):
        return self.dropped > self._reported

    def _make_notice(self):
        """Reports the number of dropped records to the service, each once."""
        dropped = self.dropped - self._reported
        if dropped == 0:
            return None
        self._reported = self.dropped
        self._is_reporting = True
        entry = {
            "level": "warn",
            "message": f"{dropped} log {'entry was' if dropped == 1 else 'entries were'} dropped before sending.",
            "timestamp": self._next_timestamp(time.time()),
            "metadata": {"tapedeck": {"dropped": dropped}},
        }
        if self._resource is not None:
            entry["resource"] = self._resource
        return _write_json(entry)

    def _confirm(self, batch):
        with self._changed:
            self._confirmed += batch.count
            self._bytes -= batch.size
            self._is_reporting = False
            self._changed.notify_all()

    def _handle_refusal(self, batch, refusal):
        """Returns what is left of a batch that the service refused."""
        if refusal.status in (401, 403):
            print(f"tapedeck: {refusal}", file=sys.stderr)
            with self._changed:
                self._is_refused = True
                self._is_reporting = False
                lost = batch.count + len(self._queue)
                self._queue.clear()
                self._bytes = 0
                self._drop(lost)
            return None
        if refusal.index is None and batch.count > 1:
            # Splits the batch in halves to find the record.
            middle = batch.count // 2
            with self._changed:
                self._queue.extendleft(reversed(batch.entries[middle:]))
            return Batch(batch.entries[:middle], batch.notice)
        wrong = 0 if refusal.index is None else refusal.index
        is_notice = wrong >= batch.count
        rest = Batch(batch.entries[:wrong] + batch.entries[wrong + 1 :], None if is_notice else batch.notice)
        with self._changed:
            self._is_reporting = rest.notice is not None
            self._bytes -= batch.size - rest.size
            self._drop(0 if is_notice else 1)
        return rest if rest.entries or rest.notice else None

    def _drop(self, count):
        self.dropped += count
        self._lost += count
        self._confirmed += count
        self._changed.notify_all()

    def _pause(self, seconds):
        """A flush shortens the pause, but attempts never follow each other without one."""
        deadline = time.monotonic() + seconds
        with self._changed:
            flushes = self._flushes
            while not self._is_closed:
                if self._flushes != flushes:
                    flushes = self._flushes
                    deadline = min(deadline, time.monotonic() + _FLUSH_PAUSE)
                rest = deadline - time.monotonic()
                if rest <= 0:
                    return
                self._changed.wait(rest)

    def _write_entry(self, record):
        message = self.format(record)
        if len(message) > _TEXT_BYTES_MAX // 4:
            message = message.encode(errors="replace")[:_TEXT_BYTES_MAX].decode(errors="ignore")
        metadata = {name: value for name, value in record.__dict__.items() if name not in _ATTRIBUTES}
        metadata["python"] = {"module": record.module, "line": record.lineno, "thread": record.threadName}
        entry = {
            "level": _read_level(record.levelno),
            "message": message,
            "resource": self._resource or record.name,
            "timestamp": self._next_timestamp(record.created),
            "metadata": metadata,
        }
        try:
            return _write_json(entry, allow_nan=False)
        except (TypeError, ValueError, RecursionError):  # a cycle, a key that is not a string, or a number that JSON cannot represent
            return _write_json({**entry, "metadata": _simplify(metadata, 1)})

    def _next_timestamp(self, seconds):
        """Makes each record later than the previous one, so that they keep their order, unless the clock was set back."""
        micros = int(seconds * 1_000_000)
        is_back = self._last_micros - micros > _LEAD_MICROS_MAX
        self._last_micros = micros if is_back else max(micros, self._last_micros + 1)
        return (_EPOCH + timedelta(microseconds=self._last_micros)).isoformat(timespec="microseconds")


def _write_json(entry, **settings):
    """Replaces lone surrogates, which file names may contain and the service refuses."""
    return json.dumps(entry, default=str, ensure_ascii=False, **settings).encode(errors="replace")


def _simplify(value, depth):
    if depth > _DEPTH_MAX:
        return "..."
    if isinstance(value, dict):
        return {str(name): _simplify(inner, depth + 1) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_simplify(inner, depth + 1) for inner in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _read_level(number):
    if number >= logging.ERROR:
        return "error"
    if number >= logging.WARNING:
        return "warn"
    return "info" if number >= logging.INFO else "debug"
