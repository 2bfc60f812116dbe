/** With LENIENT_LEVELS the V3 routes accept any word as a level; otherwise only the four. */
import assert from 'node:assert/strict';
import { after, it } from 'node:test';
import { openLogClient } from '../support/logSender.ts';
import { startQuietService } from '../support/service.ts';
import { openLogBook } from '../support/storedEntries.ts';

const service = await startQuietService({ environment: { TAPEDECK_LENIENT_LEVELS: 'true' } });
after(() => service[Symbol.asyncDispose]());
const client = await openLogClient(service);
const book = await openLogBook(service);

const rows: readonly [sent: object, level: string, metadata: Record<string, string>][] = [
  [{ level: 'Warning' }, 'warn', {}],
  [{ level: 'crit' }, 'error', {}],
  [{ level: 'silly' }, 'debug', {}],
  [{ level: 'success' }, 'info', {}],
  [{ level: 'audit' }, 'info', { level: 'audit' }],
  [{ level: 'Audit', metadata: { a: { b: 1 } } }, 'info', { level: 'Audit', 'a.b': '1' }],
  [{ level: 'audit', metadata: [] }, 'info', { level: 'audit' }],
  [{ level: 'audit', metadata: { level: 9 } }, 'info', { level: 'audit', 'metadata.level': '9' }],
];
for (const [sent, level, metadata] of rows) {
  it(`${JSON.stringify(sent)} becomes ${level} ${JSON.stringify(metadata)}`, async () => {
    const dataset = book.newDataset();
    await client.store([{ message: 'm', ...sent }], dataset);
    const [entry] = await book.read(dataset);
    assert.deepEqual([entry!.level, entry!.metadata], [level, metadata]);
  });
}

it('accepts 256 values and an unknown level', async () => {
  const dataset = book.newDataset();
  const metadata = Object.fromEntries(Array.from({ length: 256 }, (_, index) => [`k${index}`, index]));
  await client.store([{ level: 'audit', message: 'm', metadata }], dataset);
  assert.equal(Object.keys((await book.read(dataset))[0]!.metadata).length, 257);
});

for (const level of [undefined, null, 30, {}, 'x'.repeat(20_000), 'a\ud800']) {
  it(`rejects ${String(JSON.stringify(level)).slice(0, 20)} as a level`, async () => {
    const response = await client.post([{ level, message: 'm' }]);
    const { code, field } = (await response.json()) as { code: string; field: string };
    assert.deepEqual([response.status, code, field], [400, 'invalid_field', 'level']);
  });
}
