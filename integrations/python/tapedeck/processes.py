"""Flushes handlers before a process of `multiprocessing` ends, because such a process does not run `atexit` functions."""

import weakref
from multiprocessing import process, util


def flush_before_exit(handler):
    util.register_after_fork(handler, _register)  # a fork forgets what its parent registered
    _register(handler)


def _register(handler):
    util.Finalize(handler, _flush, args=(weakref.ref(handler),), exitpriority=0)


def _flush(reference):
    handler = reference()
    if handler is not None and process.parent_process() is not None:
        handler.flush()  # the main process flushes in `logging.shutdown`
