/** Tests npm loggers that send lines over HTTP, set up as the catalogue shows. */
import { asTexts, testClients } from './scenarios.ts';
import { settingsOf } from './senders.ts';

await testClients([
  {
    title: "winston's Http transport",
    sender: { language: 'node', program: 'senders/winstonSender.ts' },
    settings: settingsOf('winston-http', 'logger.js'),
    finds: ({ level, message, metadata }) => ({ level, body: message, metadata: asTexts(metadata) }),
    patienceMs: 0,
    refused: null,
  },
]);
