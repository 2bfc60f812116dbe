"""Sends through Python's `logging`, as the settings module configures it."""
import importlib.util
import json
import logging
import sys

path = sys.argv[1]
spec = importlib.util.spec_from_file_location('settings', path)
settings = importlib.util.module_from_spec(spec)
spec.loader.exec_module(settings)


def wrap(metadata):
    """Passes metadata as the named library expects: in `tags`, or as separate arguments."""
    return {'tags': metadata} if 'tags' in sys.argv else metadata


settings.logger.setLevel(logging.DEBUG)
for line in sys.stdin:
    entry = json.loads(line)
    level = {'debug': 10, 'info': 20, 'warn': 30, 'error': 40}[entry['level']]
    try:
        settings.logger.log(level, entry['message'], extra=wrap(entry['metadata']))
    except Exception as error:  # some handlers raise errors in the program
        print(error, file=sys.stderr)
logging.shutdown()
