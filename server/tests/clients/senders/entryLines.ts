/** Reads the entries to send from standard input, one JSON object per line. */
import { createInterface } from 'node:readline';

export type EntryLine = {
  level: 'debug' | 'info' | 'warn' | 'error';
  message: string;
  metadata: Readonly<Record<string, string | number>>;
};

export async function* readEntryLines(): AsyncGenerator<EntryLine> {
  for await (const line of createInterface({ input: process.stdin })) yield JSON.parse(line) as EntryLine; // the test writes these lines
}

/** Loads the module that users write, made from the settings under test. */
export async function loadSettings<Made>(): Promise<Made> {
  const settings = await import(process.argv[2] ?? '');
  return settings.default as Made; // each program names its type
}

const batchMax = 50;

/** Yields batches, for clients that take lists. */
export async function* readEntryBatches(): AsyncGenerator<EntryLine[]> {
  let batch: EntryLine[] = [];
  for await (const entry of readEntryLines()) {
    if (batch.push(entry) < batchMax) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
