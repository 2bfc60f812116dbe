/** Python: its logging module, and programs that upload. */
import { inQuotes } from '../escapes.ts';
import type { Guide } from '../guide.ts';
import { uploads, writesLogs } from '../tokens.ts';

const group = 'Python';
const words = ['python', 'pip', 'django', 'flask', 'logging'];

const requestsLogs: Guide = {
  id: 'python-requests',
  title: 'Python: log entries',
  group,
  about: 'A handler of your own in twenty lines, with requests.',
  sends: 'logs',
  words: [...words, 'requests', 'httpx', 'http'],
  door: 'lines',
  token: writesLogs,
  install: 'pip install requests',
  snippets: [
    {
      name: 'logger.py',
      language: 'python',
      isFile: true,
      write: ({ address, token, dataset }) => `import json
import logging
import logging.handlers
import queue

import requests


class TapeHandler(logging.Handler):
    session = requests.Session()

    def emit(self, record):
        entry = {
            "level": record.levelname.lower(),
            "message": record.getMessage(),
            "logger": record.name,
            "time": record.created,
            "file": f"{record.filename}:{record.lineno}",
        }
        self.session.post(
            "${address}/api/v3/logs/lines",
            params={"dataset": "${dataset}"},
            headers={"Authorization": "Bearer ${token}", "Content-Type": "application/x-ndjson"},
            data=json.dumps(entry),
            timeout=10,
        ).raise_for_status()


waiting = queue.Queue(10_000)
listener = logging.handlers.QueueListener(waiting, TapeHandler())
listener.start()
logger = logging.getLogger("my-app")
logger.setLevel(logging.DEBUG)
logger.addHandler(logging.handlers.QueueHandler(waiting))
`,
    },
  ],
  test: {
    name: 'test.py',
    language: 'python',
    write: () => `from logger import listener, logger

logger.warning("Hello, tape")
listener.stop()`,
  },
  notes: [
    { sees: 'A short script ends before its entries are sent', means: 'Call listener.stop() at its end.' },
  ],
};

const loguru: Guide = {
  id: 'loguru',
  title: 'Loguru',
  group,
  about: 'Loguru, with all that it knows of an entry as metadata.',
  sends: 'logs',
  words: [...words, 'loguru', 'structlog', 'serialize'],
  door: 'lines',
  token: writesLogs,
  install: 'pip install loguru requests',
  snippets: [
    {
      name: 'logger.py',
      language: 'python',
      isFile: true,
      write: ({ address, token, dataset }) => `import requests
from loguru import logger

session = requests.Session()
session.headers["Authorization"] = "Bearer ${token}"
names = {
    "messageField": "record.message",
    "levelField": "record.level.name",
    "timeField": "record.time.timestamp",
    "resourceField": "record.name",
}


def send(line):
    session.post(
        "${address}/api/v3/logs/lines",
        params={"dataset": "${dataset}", **names},
        data=line.encode(),
        timeout=10,
    ).raise_for_status()


logger.add(send, serialize=True, enqueue=True)
`,
    },
  ],
  test: {
    name: 'test.py',
    language: 'python',
    write: () => `from logger import logger

logger.warning("Hello, tape")
logger.complete()`,
  },
  notes: [
    { sees: 'A short script ends before its entries are sent', means: 'Call logger.complete() at its end.' },
  ],
};

const requestsFiles: Guide = {
  id: 'python-requests-files',
  title: 'Python: files',
  group,
  about: 'Uploads an image, a video or a sound with requests.',
  sends: 'media',
  words: ['python', 'requests', 'upload'],
  door: 'upload',
  token: uploads,
  install: 'pip install requests',
  snippets: [
    {
      name: 'upload.py',
      language: 'python',
      isFile: true,
      write: ({ address, token, folder }) => `import sys

import requests


def upload(path):
    with open(path, "rb") as file:
        answer = requests.post(
            "${address}/api/v3/file",
            headers={"Authorization": "Bearer ${token}"},
            files={"file": file},${folder === '' ? '' : `\n            data={"path": ${inQuotes(folder)}},`}
            timeout=60,
        )
    if not answer.ok:
        raise RuntimeError(answer.json()["error"])
    return answer.json()["data"]["url"]


print(upload(sys.argv[1]))
`,
    },
  ],
  test: { name: 'One file', language: 'sh', write: () => 'python3 upload.py photo.png' },
  notes: [
    { sees: 'RuntimeError', means: 'It holds the sentence of the service, which says what to change.' },
  ],
};

export const pythonGuides: readonly Guide[] = [requestsLogs, loguru, requestsFiles];
