/** Tests Logback and Log4j appenders from Maven Central, set up as the catalogue shows. */
import { testClients } from './scenarios.ts';
import { settingsOf } from './senders.ts';

await testClients([
  {
    title: 'Logback with Loki4j',
    sender: { language: 'java', program: 'senders/Sender.java' },
    settings: settingsOf('loki4j', 'logback.xml'),
    finds: ({ level, message }) => ({ level, body: message, resource: 'my-app' }),
    patienceMs: 0,
    refused: /This token is not known/,
  },
  {
    title: 'Log4j 2',
    sender: { language: 'java', program: 'senders/Sender.java' },
    settings: settingsOf('log4j2', 'log4j2.xml'),
    finds: ({ level, message }) => ({
      level,
      body: message,
      resource: 'my-app',
      metadata: { class: 'my-logger' },
    }),
    patienceMs: 0,
    refused: /401 Unauthorized/, // the client shows no more
  },
]);
