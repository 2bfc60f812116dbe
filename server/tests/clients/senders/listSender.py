"""Sends through the function `write` of the settings module: lists of documents, or one item at a time."""
import importlib.util
import json
import os
import sys
from itertools import islice

path, shape = sys.argv[1:3]
if 'elasticsearch8' in sys.argv:
    sys.path.insert(0, os.environ['ELASTICSEARCH_8'])
spec = importlib.util.spec_from_file_location('settings', path)
settings = importlib.util.module_from_spec(spec)
spec.loader.exec_module(settings)


def write(entries):
    if shape == 'documents':
        settings.write([
            {'log.level': entry['level'], 'message': entry['message'], 'service.name': 'my-app', **entry['metadata']}
            for entry in entries
        ])
    else:
        for entry in entries:
            fields = {name: str(value) for name, value in entry['metadata'].items()}
            settings.write(entry['message'], status=entry['level'], **fields)


lines = iter(sys.stdin)
while batch := list(islice(lines, 50)):
    try:
        write([json.loads(line) for line in batch])
    except Exception as error:
        print(error, getattr(error, 'body', ''), str(getattr(error, 'errors', ''))[:300], file=sys.stderr)
