/** Tests clients of Splunk's event collector from npm and PyPI, set up as the catalogue shows. */
import { asTexts, testClients } from './scenarios.ts';
import { settingsOf } from './senders.ts';

await testClients([
  {
    title: 'splunk-logging',
    sender: { language: 'node', program: 'senders/splunkSender.ts' },
    settings: settingsOf('splunk-logging', 'logger.js'),
    finds: ({ level, message, metadata }) => ({
      level,
      body: message,
      metadata: { ...asTexts(metadata), source: 'my-app' },
    }),
    patienceMs: 0,
    refused: /not logged: This token is not known/,
  },
  {
    title: 'winston-splunk-httplogger',
    sender: { language: 'node', program: 'senders/winstonSender.ts' },
    settings: settingsOf('winston-splunk-httplogger', 'logger.js'),
    finds: ({ level, message, metadata: { player } }) => ({
      level,
      body: message,
      metadata: { 'meta.player': String(player), source: 'winston' },
    }),
    patienceMs: 0,
    refused: /This token is not known/,
  },
  {
    title: 'splunk-handler',
    sender: { language: 'python', program: 'senders/pythonSender.py' },
    settings: settingsOf('splunk-handler', 'logger.py'),
    finds: ({ message }) => ({
      level: 'info',
      body: message,
      metadata: { source: 'my-app', sourcetype: 'text' },
    }),
    patienceMs: 0, // it retries for a minute, but stops when its program ends
    refused: /403 Client Error/, // the client shows no more
  },
  {
    title: 'splunk-hec-handler',
    sender: { language: 'python', program: 'senders/pythonSender.py' },
    settings: settingsOf('splunk-hec-handler', 'logger.py'),
    finds: ({ level, message }) => ({ level, body: message, metadata: { source: 'my-app' } }),
    patienceMs: 0,
    refused: /403 Client Error/, // the client shows no more
  },
]);
