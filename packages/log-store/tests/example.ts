/** The example of the README, for tests: a store in the current directory. */
import { createStamper, systemMicros, writePlainItems } from '@tapedeck/log-entries';
import { everything, parseQuery } from '@tapedeck/log-query-language';
import { matchAll, openLogStore } from '@tapedeck/log-store';

await using store = await openLogStore(
  { kind: 'embedded', directory: 'engine' },
  { log: console, dataDir: '.' },
);

const target = { project: 'arena', dataset: 'game', retentionDays: 30 };
const batch = store.intake.openBatch(target, { isKeyed: false });
const stamper = createStamper(systemMicros); // one per process
const rules = { range: { fromMicros: 0, toMicros: systemMicros() }, levelSynonyms: null };
writePlainItems({ batch, stamper, rules }, Buffer.from('[{"level": "info", "message": "Ann joined"}]'));
await batch.commit(null); // resolves once the entries survive a power cut

const filter = {
  ...matchAll({ project: 'arena', datasets: null }),
  condition: parseQuery('ann') ?? everything,
};
const page = { order: 'desc', limit: 10, offset: 0, after: null } as const;
const { entries } = await store.queries.findEntries(filter, page, new AbortController().signal);
for (const { level, body } of entries) process.stdout.write(`${level} ${body}\n`);
