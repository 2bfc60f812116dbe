/** Loggers of Node.js. */
import type { Guide } from '../guide.ts';
import { writesLogs } from '../tokens.ts';

export const nodeGuides: readonly Guide[] = [
  {
    id: 'winston-loki',
    title: 'winston-loki',
    group: 'Node.js',
    about: "winston's transport for Loki, in batches.",
    sends: 'logs',
    words: ['winston', 'loki', 'node', 'javascript', 'npm', 'transport'],
    door: 'loki',
    token: writesLogs,
    install: 'npm install winston winston-loki',
    snippets: [
      {
        name: 'logger.js',
        language: 'javascript',
        write: ({ address, token, dataset }) => `const { createLogger } = require('winston');
const LokiTransport = require('winston-loki');

const logger = createLogger({
  transports: [
    new LokiTransport({
      host: '${address}',
      basicAuth: 'tapedeck:${token}',
      labels: { app: 'my-app', dataset: '${dataset}' },
      json: true,
      interval: 1,
      onConnectionError: error => console.error('log entries wait:', error),
    }),
  ],
});
module.exports = logger;`,
      },
    ],
    test: {
      name: 'test.js',
      language: 'javascript',
      write: () => `require('./logger.js').warn('Hello, tape');`,
    },
    notes: [
      {
        sees: 'Nothing comes at the end of a short script',
        means: 'Batches leave once a second: let the process live that long.',
      },
    ],
  },
];
