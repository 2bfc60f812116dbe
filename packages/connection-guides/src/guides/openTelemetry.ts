/** Programs that send by OpenTelemetry's protocol. */
import type { Guide } from '../guide.ts';
import { writesLogs } from '../tokens.ts';

export const openTelemetryGuides: readonly Guide[] = [
  {
    id: 'opentelemetry-environment',
    title: 'OpenTelemetry by environment variables',
    group: 'OpenTelemetry',
    about: 'Every OpenTelemetry SDK and agent reads these: Java, Python, .NET, Go, Node.js, PHP, Ruby, Rust.',
    sends: 'logs',
    words: ['otel', 'otlp', 'sdk', 'agent', 'java', 'python', 'dotnet', 'go', 'env'],
    door: 'otlp',
    token: writesLogs,
    install: null,
    snippets: [
      {
        name: 'Environment',
        language: 'sh',
        write: ({ address, token, dataset }) => `export OTEL_SERVICE_NAME='my-app'
export OTEL_LOGS_EXPORTER='otlp'
export OTEL_TRACES_EXPORTER='none'
export OTEL_METRICS_EXPORTER='none'
export OTEL_EXPORTER_OTLP_LOGS_PROTOCOL='http/protobuf'
export OTEL_EXPORTER_OTLP_LOGS_ENDPOINT='${address}/v1/logs'
export OTEL_EXPORTER_OTLP_LOGS_HEADERS='Authorization=Bearer%20${token},X-Tapedeck-Dataset=${dataset}'`,
      },
    ],
    test: {
      name: 'A record without an SDK',
      language: 'sh',
      write: ({ address, token, dataset }) => `curl '${address}/v1/logs' \\
  -H 'Authorization: Bearer ${token}' -H 'X-Tapedeck-Dataset: ${dataset}' \\
  -H 'Content-Type: application/json' \\
  -d '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"severityText":"INFO","body":{"stringValue":"Hello, tape"}}]}]}]}'`,
    },
    notes: [
      {
        sees: '404 for /v1/traces or /v1/metrics',
        means: 'Only logs are taken; turn the other exporters off, as above.',
      },
    ],
  },
];
