/** Tests a damaged byte on disk: queries that read it fail with an explanation, and others succeed. */
import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { composeTraceId } from '@tapedeck/log-entries';
import { insertEntries, openQueries, startTestStore } from '../../tests/clickhouse.ts';
import { LogStoreFailure } from '../failures.ts';
import { verifyLogs } from '../operations/backup/verification.ts';
import { queryRows } from '../writer/engine/statements.ts';
import { activeParts } from '../writer/schema/schema.ts';
import { matchAll } from './entries.ts';

const signal = new AbortController().signal;
const monthMicros = 31 * 86_400_000_000;
const page = { order: 'asc', limit: 10, offset: 0, after: null } as const;

test('reports a changed byte as damage, not as a bug, and names its part', async () => {
  await using store = await startTestStore();
  const about = { parentId: '', level: 'info', resource: '', metadata: {} } as const;
  const make = (timestampMicros: number, dataset: string) => ({
    project: 'game',
    entry: {
      ...about,
      dataset,
      timestampMicros,
      traceId: composeTraceId(timestampMicros, '8'.repeat(16)),
      body: dataset,
    },
  });
  const startMicros = Date.UTC(2026, 2, 1) * 1000;
  await insertEntries(store, [make(startMicros, 'lost')]);
  await insertEntries(store, [make(startMicros + 2 * monthMicros, 'kept')]);
  const [[part, directory] = []] = await queryRows(store.shards[0], {
    sql: `SELECT name, path FROM ${activeParts} ORDER BY min_time LIMIT 1`,
  });
  for (const name of await readdir(String(directory))) {
    if (!name.endsWith('.bin')) continue;
    const file = path.join(String(directory), name);
    const bytes = await readFile(file);
    for (let at = 40; at < bytes.length; at += 40) bytes[at] = bytes[at]! ^ 1;
    await writeFile(file, bytes);
  }
  const queries = openQueries(store, store.shards);
  const ask = (datasets: string[]) =>
    queries.findEntries(matchAll({ project: 'game', datasets }), page, signal);
  await assert.rejects(ask(['lost']), (error: unknown) => {
    assert.ok(error instanceof LogStoreFailure, String(error));
    assert.equal(error.code, 'engine_unavailable');
    assert.match(error.message, /damaged or missing.*`tapedeck verify`/);
    return true;
  });
  assert.deepEqual(
    (await ask(['kept'])).entries.map(({ body }) => body),
    ['kept'],
  );
  const { damaged } = await verifyLogs(store.shards);
  assert.equal(damaged.length, 1);
  assert.ok(damaged[0]?.startsWith(String(part)), `${damaged}`);
});
