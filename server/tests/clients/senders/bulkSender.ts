/** Writes documents through a bulk helper, fifty at a time. */
import { loadSettings, readEntryBatches } from './entryLines.ts';

const { write } = await loadSettings<{ write(documents: object[]): Promise<unknown> }>();
for await (const batch of readEntryBatches()) {
  const documents = batch.map(({ level, message, metadata }) => ({
    '@timestamp': new Date(),
    'log.level': level,
    message,
    service: { name: 'my-app' },
    ...metadata,
  }));
  const told = await write(documents).catch(error => `${error} ${JSON.stringify(error.body)}`);
  process.stderr.write(`${JSON.stringify(told)}\n`);
}
