/** Sends through an OpenTelemetry logger. */
import { loadSettings, readEntryLines } from './entryLines.ts';

type Settings = { logger: { emit(record: object): void }; provider: { shutdown(): Promise<void> } };

const severities = { debug: 5, info: 9, warn: 13, error: 17 };

const { logger, provider } = await loadSettings<Settings>();
for await (const { level, message, metadata } of readEntryLines()) {
  const severity = { severityNumber: severities[level], severityText: level.toUpperCase() };
  logger.emit({ ...severity, body: message, attributes: metadata });
}
await provider.shutdown();
