/** Loggers that speak Loki's protocol. */
import type { Guide } from '../guide.ts';
import { writesLogs } from '../tokens.ts';

export const lokiLoggerGuides: readonly Guide[] = [
  {
    id: 'pino-loki',
    title: 'pino-loki',
    group: 'Node.js',
    about: "pino's transport for Loki, in batches.",
    sends: 'logs',
    words: ['pino', 'loki', 'node', 'javascript', 'npm', 'transport', 'fastify'],
    door: 'loki',
    token: writesLogs,
    install: 'npm install pino pino-loki',
    snippets: [
      {
        name: 'logger.js',
        language: 'javascript',
        isFile: true,
        write: ({ address, token, dataset }) => `const pino = require('pino');

const transport = pino.transport({
  target: 'pino-loki',
  options: {
    host: '${address}',
    basicAuth: { username: 'tapedeck', password: '${token}' },
    labels: { app: 'my-app', dataset: '${dataset}' },
    batching: { interval: 1 },
  },
});
module.exports = pino(transport);`,
      },
    ],
    test: {
      name: 'test.js',
      language: 'javascript',
      write: () => `require('./logger.js').warn('Hello, tape');`,
    },
    notes: [
      {
        sees: 'The text of an entry is JSON',
        means: 'pino-loki sends the whole line of pino; with logFormat: "{msg}" it sends the message alone.',
      },
      {
        sees: 'Got unknown error when trying to send log to Loki',
        means: 'It tries each batch once: what it could not send is gone.',
      },
    ],
  },
  {
    id: 'python-logging-loki',
    title: 'python-logging-loki',
    group: 'Python',
    about: 'A handler of logging that sends each record to Loki at once.',
    sends: 'logs',
    words: ['logging', 'loki', 'handler', 'pip', 'django', 'flask'],
    door: 'loki',
    token: writesLogs,
    install: 'pip install python-logging-loki',
    snippets: [
      {
        name: 'log.py',
        language: 'python',
        isFile: true,
        write: ({ address, token, dataset }) => `import logging

import logging_loki

handler = logging_loki.LokiHandler(
    url='${address}/loki/api/v1/push',
    tags={'app': 'my-app', 'dataset': '${dataset}'},
    auth=('tapedeck', '${token}'),
    version='1',
)
logger = logging.getLogger('my-app')
logger.addHandler(handler)`,
      },
    ],
    test: {
      name: 'test.py',
      language: 'python',
      write: () => `from log import logger

logger.warning('Hello, tape', extra={'tags': {'player': 'Ada'}})`,
    },
    notes: [
      {
        sees: 'Unexpected Loki API response status code: 401',
        means: 'The token is wrong; the handler shows no more of the answer than its number.',
      },
      {
        sees: 'The program waits for each entry',
        means: 'logging_loki.LokiQueueHandler sends from a thread.',
      },
    ],
  },
  {
    id: 'loki-logger-handler',
    title: 'loki-logger-handler',
    group: 'Python',
    about: 'A handler of logging and loguru that sends to Loki from a thread, in batches.',
    sends: 'logs',
    words: ['logging', 'loguru', 'loki', 'handler', 'pip'],
    door: 'loki',
    token: writesLogs,
    install: 'pip install loki-logger-handler',
    snippets: [
      {
        name: 'log.py',
        language: 'python',
        isFile: true,
        write: ({ address, token, dataset }) => `import logging

from loki_logger_handler.loki_logger_handler import LokiLoggerHandler

handler = LokiLoggerHandler(
    url='${address}/loki/api/v1/push',
    labels={'app': 'my-app', 'dataset': '${dataset}'},
    label_keys={'level'},
    auth=('tapedeck', '${token}'),
    timeout=1,
    enable_self_errors=True,
)
logger = logging.getLogger('my-app')
logger.addHandler(handler)`,
      },
    ],
    test: {
      name: 'test.py',
      language: 'python',
      write: () => `from log import logger

logger.warning('Hello, tape', extra={'player': 'Ada'})`,
    },
    notes: [
      {
        sees: 'Entries are missing after the service was away',
        means: 'The handler tries each batch once.',
      },
    ],
  },
];
