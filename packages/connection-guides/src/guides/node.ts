/** Loggers of Node.js, pointed at protocols that they have a transport for. */
import { partsOf } from '../escapes.ts';
import type { Guide } from '../guide.ts';
import { writesLogs } from '../tokens.ts';

const group = 'Node.js';
const words = ['node', 'javascript', 'typescript', 'npm', 'logger'];

const shortScripts = {
  sees: 'Nothing comes from a short script',
  means: 'Entries leave in batches: let the process live for a second, or close the logger before it ends.',
};

const winstonLoki: Guide = {
  id: 'winston-loki',
  title: 'winston-loki',
  group,
  about: "winston's transport for Loki, in batches.",
  sends: 'logs',
  words: [...words, 'winston', 'loki', 'transport', 'grafana'],
  door: 'loki',
  token: writesLogs,
  install: 'npm install winston winston-loki',
  snippets: [
    {
      name: 'logger.js',
      language: 'javascript',
      isFile: true,
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
module.exports = logger;
`,
    },
  ],
  test: {
    name: 'test.js',
    language: 'javascript',
    write: () => `require('./logger.js').warn('Hello, tape');`,
  },
  notes: [shortScripts],
};

const winstonHttp: Guide = {
  id: 'winston-http',
  title: "winston's Http transport",
  group,
  about: 'The transport that comes with winston; fields beside the message become metadata.',
  sends: 'logs',
  words: [...words, 'winston', 'http', 'express'],
  door: 'lines',
  token: writesLogs,
  install: 'npm install winston',
  snippets: [
    {
      name: 'logger.js',
      language: 'javascript',
      isFile: true,
      write: ({ address, token, dataset }) => {
        const { isSecure, host, port } = partsOf(address);
        return `const { createLogger, format, transports } = require('winston');

const transport = new transports.Http({
  ssl: ${isSecure},
  host: '${host}',
  port: ${port},
  path: '/api/v3/logs/lines?dataset=${dataset}',
  headers: { Authorization: 'Bearer ${token}' },
  batch: true,
  batchInterval: 1000,
  batchCount: 100,
});
transport.on('warn', error => console.error('not logged:', error.message));
module.exports = createLogger({
  format: format.combine(format.errors({ stack: true }), format.timestamp(), format.json()),
  transports: [transport],
});
`;
      },
    },
  ],
  test: {
    name: 'test.js',
    language: 'javascript',
    write: () => `require('./logger.js').warn('Hello, tape', { player: { id: 7 } });`,
  },
  notes: [
    shortScripts,
    {
      sees: 'Entries are lost while the service restarts',
      means: 'This transport sends nothing twice; winston-loki does.',
    },
  ],
};

const pinoHttpSend: Guide = {
  id: 'pino-http-send',
  title: 'pino-http-send',
  group,
  about: 'Takes what a program with pino prints, and sends it on: the program stays as it is.',
  sends: 'logs',
  words: [...words, 'pino', 'pipe', 'fastify', 'bunyan', 'stdout'],
  door: 'lines',
  token: writesLogs,
  install: 'npm install --global pino-http-send',
  snippets: [
    {
      name: 'Start the program with',
      language: 'sh',
      write: ({ address, token, dataset }) =>
        `node app.js | pino-http-send --bodyType ndjson --batchSize 100 --timeout 1000 --url '${address}/api/v3/logs/lines?dataset=${dataset}&apiKey=${token}'`,
    },
  ],
  test: {
    name: 'A line as pino prints it',
    language: 'sh',
    write: ({ address, token, dataset }) =>
      `echo '{"level":40,"msg":"Hello, tape"}' | curl -fsS '${address}/api/v3/logs/lines?dataset=${dataset}&apiKey=${token}' -H 'Content-Type: application/x-ndjson' --data-binary @-`,
  },
  notes: [
    {
      sees: 'Bunyan instead of pino',
      means: 'Its lines are of the same form, with the same numbers for levels.',
    },
  ],
};

export const nodeGuides: readonly Guide[] = [winstonLoki, winstonHttp, pinoHttpSend];
