/** Programs that send by OpenTelemetry's protocol. */
import type { Guide } from '../guide.ts';
import { writesLogs } from '../tokens.ts';

const group = 'OpenTelemetry';
const words = ['otel', 'otlp', 'opentelemetry', 'sdk'];

const onlyLogs = {
  sees: '404 for /v1/traces or /v1/metrics',
  means: 'Only logs are taken: turn the exporters of traces and metrics off.',
};

const environment: Guide = {
  id: 'opentelemetry-environment',
  title: 'OpenTelemetry SDKs and agents',
  group,
  about:
    'Environment variables that every SDK and agent reads: Java, Python, .NET, Go, Node.js, PHP, Ruby, Rust.',
  sends: 'logs',
  words: [
    ...words,
    'agent',
    'java',
    'python',
    'dotnet',
    'go',
    'env',
    'environment',
    'spring',
    'quarkus',
    'zero-code',
  ],
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
    {
      name: 'Then start the program, such as',
      language: 'sh',
      write: () => `java -javaagent:opentelemetry-javaagent.jar -jar app.jar
OTEL_PYTHON_LOGGING_AUTO_INSTRUMENTATION_ENABLED=true opentelemetry-instrument python app.py`,
    },
  ],
  test: {
    name: 'A record without an SDK',
    language: 'sh',
    write: ({ address, token, dataset }) => `curl -fsS '${address}/v1/logs' \\
  -H 'Authorization: Bearer ${token}' -H 'X-Tapedeck-Dataset: ${dataset}' \\
  -H 'Content-Type: application/json' \\
  -d '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"severityText":"INFO","body":{"stringValue":"Hello, tape"}}]}]}]}'`,
  },
  notes: [
    onlyLogs,
    {
      sees: '401, although the token is right',
      means:
        'In this variable a space is written %20; some older SDKs take the value as it is, and want a space.',
    },
    {
      sees: 'Connection refused at 4317',
      means: 'gRPC is not taken: the protocol must be http/protobuf (or http/json).',
    },
  ],
};

const python: Guide = {
  id: 'opentelemetry-python',
  title: 'OpenTelemetry for Python',
  group,
  about: "The SDK as a handler of Python's logging.",
  sends: 'logs',
  words: [...words, 'python', 'logging', 'pip'],
  door: 'otlp',
  token: writesLogs,
  install: 'pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http',
  snippets: [
    {
      name: 'logger.py',
      language: 'python',
      isFile: true,
      write: ({ address, token, dataset }) => `import logging

from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.sdk._logs import LoggerProvider, LoggingHandler
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.resources import Resource

provider = LoggerProvider(resource=Resource.create({"service.name": "my-app"}))
exporter = OTLPLogExporter(
    endpoint="${address}/v1/logs",
    headers={"Authorization": "Bearer ${token}", "X-Tapedeck-Dataset": "${dataset}"},
)
provider.add_log_record_processor(BatchLogRecordProcessor(exporter))
logger = logging.getLogger("my-app")
logger.setLevel(logging.DEBUG)
logger.addHandler(LoggingHandler(logger_provider=provider))
`,
    },
  ],
  test: {
    name: 'test.py',
    language: 'python',
    write: () => `from logger import logger, provider

logger.warning("Hello, tape")
provider.shutdown()`,
  },
  notes: [
    {
      sees: 'A short script ends before its entries are sent',
      means: 'Call provider.shutdown() at its end.',
    },
  ],
};

const go: Guide = {
  id: 'opentelemetry-go',
  title: 'OpenTelemetry for Go',
  group,
  about: 'log/slog through the SDK.',
  sends: 'logs',
  words: [...words, 'go', 'golang', 'slog', 'zap'],
  door: 'otlp',
  token: writesLogs,
  install:
    'go get go.opentelemetry.io/contrib/bridges/otelslog go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp go.opentelemetry.io/otel/sdk/log',
  snippets: [
    {
      name: 'main.go',
      language: 'go',
      isFile: true,
      write: ({ address, token, dataset }) => `package main

import (
	"context"
	"log"

	"go.opentelemetry.io/contrib/bridges/otelslog"
	"go.opentelemetry.io/otel/exporters/otlp/otlplog/otlploghttp"
	sdklog "go.opentelemetry.io/otel/sdk/log"
)

func main() {
	ctx := context.Background()
	exporter, err := otlploghttp.New(ctx,
		otlploghttp.WithEndpointURL("${address}/v1/logs"),
		otlploghttp.WithHeaders(map[string]string{
			"Authorization":      "Bearer ${token}",
			"X-Tapedeck-Dataset": "${dataset}",
		}),
	)
	if err != nil {
		log.Fatal(err)
	}
	provider := sdklog.NewLoggerProvider(sdklog.WithProcessor(sdklog.NewBatchProcessor(exporter)))
	defer provider.Shutdown(ctx)

	logger := otelslog.NewLogger("my-app", otelslog.WithLoggerProvider(provider))
	logger.Warn("Hello, tape", "player", 7)
}
`,
    },
  ],
  test: { name: 'Run it', language: 'sh', write: () => 'go run .' },
  notes: [],
};

const collector: Guide = {
  id: 'opentelemetry-collector',
  title: 'OpenTelemetry Collector',
  group,
  about: 'Gathers logs of programs and files, and sends them on in batches.',
  sends: 'logs',
  words: [...words, 'otelcol', 'contrib', 'agent', 'kubernetes', 'filelog'],
  door: 'otlp',
  token: writesLogs,
  install: null,
  snippets: [
    {
      name: 'config.yaml',
      language: 'yaml',
      isFile: true,
      write: ({ address, token, dataset }) => `receivers:
  otlp:
    protocols:
      http:
        endpoint: 127.0.0.1:4318
  filelog:
    include:
      - /var/log/my-app/*.log

processors:
  batch: {}

exporters:
  otlphttp/tapedeck:
    logs_endpoint: ${address}/v1/logs
    headers:
      Authorization: Bearer ${token}
      X-Tapedeck-Dataset: ${dataset}

service:
  pipelines:
    logs:
      receivers: [otlp, filelog]
      processors: [batch]
      exporters: [otlphttp/tapedeck]
`,
    },
  ],
  test: {
    name: 'A line into a file that is read',
    language: 'sh',
    write: () => `echo 'Hello, tape' | sudo tee -a /var/log/my-app/test.log`,
  },
  notes: [
    {
      sees: 'unknown type: "filelog"',
      means: 'It is in the distribution “contrib”; without it, leave this receiver out.',
    },
    onlyLogs,
  ],
};

export const openTelemetryGuides: readonly Guide[] = [environment, python, go, collector];
