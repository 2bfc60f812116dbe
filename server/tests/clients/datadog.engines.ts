/** Tests Datadog clients from npm and PyPI, set up as the catalogue shows. */
import { asTexts, testClients } from './scenarios.ts';
import { settingsOf } from './senders.ts';

await testClients([
  {
    title: '@datadog/datadog-api-client',
    sender: { language: 'node', program: 'senders/datadogSender.ts' },
    settings: settingsOf('pino-datadog', 'client.js'),
    dataset: 'default',
    finds: ({ level, message, metadata: { player } }) => ({
      level,
      body: message,
      resource: 'my-app',
      metadata: { ddtags: `player:${player}` },
    }),
    patienceMs: 0,
    refused: /This token is not known/,
  },
  {
    title: 'winston for Datadog',
    sender: { language: 'node', program: 'senders/winstonSender.ts' },
    settings: settingsOf('datadog-winston', 'logger.js'),
    finds: ({ level, message, metadata }) => ({
      level,
      body: message,
      resource: 'my-app',
      metadata: { ...asTexts(metadata), ddsource: 'nodejs' },
    }),
    patienceMs: 0,
    refused: null,
  },
  {
    title: 'datadog-api-client for Python',
    sender: { language: 'python', program: 'senders/listSender.py', arguments: ['items'] },
    settings: settingsOf('datadog-py', 'client.py'),
    dataset: 'default',
    finds: ({ level, message, metadata }) => ({
      level,
      body: message,
      resource: 'my-app',
      metadata: asTexts(metadata),
    }),
    patienceMs: 0,
    refused: /This token is not known/,
  },
]);
