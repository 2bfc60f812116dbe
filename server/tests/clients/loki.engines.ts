/** Tests Loki clients from npm and PyPI, set up as the catalogue shows. */
import { asTexts, type TestedClient, testClients } from './scenarios.ts';
import { settingsOf } from './senders.ts';

const clients: TestedClient[] = [
  {
    title: 'winston-loki',
    sender: { language: 'node', program: 'senders/winstonSender.ts' },
    settings: settingsOf('winston-loki', 'logger.js'),
    finds: ({ level, message, metadata }) => ({
      level,
      body: `${message} ${JSON.stringify({ ...metadata, level })}`,
      resource: 'my-app',
      metadata: asTexts(metadata),
    }),
    patienceMs: Number.POSITIVE_INFINITY,
    refused: /HTTP 401: This token is not known/,
  },
  {
    title: 'pino-loki',
    sender: { language: 'node', program: 'senders/pinoSender.ts' },
    settings: settingsOf('pino-loki', 'logger.js'),
    finds: ({ level, message }) => ({ level, message, inner: 'msg', resource: 'my-app' }),
    patienceMs: 0,
    refused: /This token is not known/,
  },
  {
    title: 'python-logging-loki',
    sender: { language: 'python', program: 'senders/pythonSender.py', arguments: ['tags'] },
    settings: settingsOf('python-logging-loki', 'log.py'),
    finds: ({ level, message, metadata }) => ({
      level,
      body: message,
      resource: 'my-app',
      metadata: { ...asTexts(metadata), logger: 'my-app' },
    }),
    patienceMs: 0,
    refused: /status code: 401/, // the client shows no more
  },
  {
    title: 'loki-logger-handler',
    sender: { language: 'python', program: 'senders/pythonSender.py' },
    settings: settingsOf('loki-logger-handler', 'log.py'),
    finds: ({ level, message }) => ({ level, message, inner: 'message', resource: 'my-app' }),
    patienceMs: 0,
    refused: /This token is not known/,
  },
];

await testClients(clients);
