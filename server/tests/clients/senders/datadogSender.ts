/** Sends lists of fifty items through Datadog's client. */
import { loadSettings, readEntryBatches } from './entryLines.ts';

type Logs = { submitLog(request: { body: object[] }): Promise<unknown> };

const logs = await loadSettings<Logs>();
for await (const batch of readEntryBatches()) {
  const body = batch.map(({ level, message, metadata }) => {
    const { player = '' } = metadata;
    return {
      message,
      service: 'my-app',
      ddtags: `player:${player}`,
      additionalProperties: { status: level },
    };
  });
  await logs.submitLog({ body }).catch(error => process.stderr.write(`${error}\n`));
}
