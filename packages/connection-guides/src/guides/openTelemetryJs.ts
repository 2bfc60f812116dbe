/** OpenTelemetry's SDK in Node.js, by both of its exporters. */
import type { Connection, Guide } from '../guide.ts';
import { writesLogs } from '../tokens.ts';

const group = 'OpenTelemetry';
const words = ['otel', 'otlp', 'opentelemetry', 'sdk'];

const javascriptTest = {
  name: 'test.js',
  language: 'javascript',
  write: () => `const { logger, provider } = require('./logger.js');
logger.emit({ severityNumber: 13, severityText: 'WARN', body: 'Hello, tape' });
provider.shutdown();`,
} as const;

function writeJavaScript(format: 'http' | 'proto') {
  return ({ address, token, dataset }: Connection) =>
    `const { DiagConsoleLogger, DiagLogLevel, diag } = require('@opentelemetry/api');
const { OTLPLogExporter } = require('@opentelemetry/exporter-logs-otlp-${format}');
const { resourceFromAttributes } = require('@opentelemetry/resources');
const { BatchLogRecordProcessor, LoggerProvider } = require('@opentelemetry/sdk-logs');

diag.setLogger(new DiagConsoleLogger(), DiagLogLevel.WARN); // says when something could not be sent

const exporter = new OTLPLogExporter({
  url: '${address}/v1/logs',
  headers: { Authorization: 'Bearer ${token}', 'X-Tapedeck-Dataset': '${dataset}' },
});
const provider = new LoggerProvider({
  resource: resourceFromAttributes({ 'service.name': 'my-app' }),
  processors: [new BatchLogRecordProcessor({ exporter })],
});
module.exports = { provider, logger: provider.getLogger('my-app') };
`;
}

const javascript: Guide = {
  id: 'opentelemetry-js',
  title: 'OpenTelemetry for JavaScript',
  group,
  about: 'The SDK in Node.js, with the exporter that sends JSON.',
  sends: 'logs',
  words: [...words, 'node', 'javascript', 'typescript', 'json', 'exporter-logs-otlp-http'],
  door: 'otlp',
  token: writesLogs,
  install:
    'npm install @opentelemetry/api @opentelemetry/sdk-logs @opentelemetry/resources @opentelemetry/exporter-logs-otlp-http',
  snippets: [{ name: 'logger.js', language: 'javascript', isFile: true, write: writeJavaScript('http') }],
  test: javascriptTest,
  notes: [
    {
      sees: 'Nothing, and no error',
      means: 'Call provider.shutdown() at the end of a short script.',
    },
    {
      sees: 'exporter.export is not a function',
      means: 'Older SDKs take the exporter itself: new BatchLogRecordProcessor(exporter).',
    },
  ],
};

const javascriptProto: Guide = {
  ...javascript,
  id: 'opentelemetry-js-proto',
  title: 'OpenTelemetry for JavaScript, protobuf',
  about: 'The SDK in Node.js, with the exporter that sends protobuf.',
  words: [...words, 'node', 'javascript', 'typescript', 'protobuf', 'exporter-logs-otlp-proto'],
  install:
    'npm install @opentelemetry/api @opentelemetry/sdk-logs @opentelemetry/resources @opentelemetry/exporter-logs-otlp-proto',
  snippets: [{ name: 'logger.js', language: 'javascript', isFile: true, write: writeJavaScript('proto') }],
};

export const openTelemetryJsGuides: readonly Guide[] = [javascript, javascriptProto];
