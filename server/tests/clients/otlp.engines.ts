/** Tests OpenTelemetry SDKs from npm and PyPI, set up as the catalogue shows. */
import { asTexts, type TestedClient, testClients } from './scenarios.ts';
import { type Client, settingsOf } from './senders.ts';

const settings = settingsOf('opentelemetry-js', 'logger.js');
const retriesMs = 6_000; // three retries after growing pauses, within ten seconds

const ofNode: Omit<TestedClient, 'title' | 'settings'> = {
  sender: { language: 'node', program: 'senders/openTelemetrySender.ts' },
  finds: ({ level, message, metadata }) => ({
    level,
    body: message,
    resource: 'my-app',
    metadata: { ...asTexts(metadata), severityText: level.toUpperCase(), 'scope.name': 'my-app' },
  }),
  patienceMs: retriesMs,
  refused: /This token is not known/,
  partly: /Entry 1: message/,
};

const packed: Client['settings'] = {
  name: settings.name,
  write: connection => settings.write(connection).replace('headers:', "compression: 'gzip',\n  headers:"),
};

await testClients([
  { ...ofNode, title: 'OpenTelemetry for Node.js, as JSON', settings },
  { ...ofNode, title: 'OpenTelemetry for Node.js, as JSON, packed', settings: packed },
  {
    ...ofNode,
    title: 'OpenTelemetry for Node.js, as protobuf',
    settings: settingsOf('opentelemetry-js-proto', 'logger.js'),
  },
  {
    title: 'OpenTelemetry for Python',
    sender: { language: 'python', program: 'senders/pythonSender.py' },
    settings: settingsOf('opentelemetry-python', 'logger.py'),
    finds: ({ level, message, metadata }) => ({
      level,
      body: message,
      resource: 'my-app',
      metadata: { ...asTexts(metadata), 'scope.name': 'my-app', 'telemetry.sdk.language': 'python' },
    }),
    patienceMs: retriesMs,
    refused: /code: 401, reason: Unauthorized/, // the client shows no more
  },
]);
