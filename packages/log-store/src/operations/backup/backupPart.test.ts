/** A backup of the logs holds every entry that it counts, or fails with a message. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { composeTraceId } from '@tapedeck/log-entries';
import { insertEntries, runOnShards, startTestStore, type TestStore } from '../../../tests/clickhouse.ts';
import { awaitAnswer, openRequest, readWholeAnswer } from '../../writer/engine/requests.ts';
import { queryRows } from '../../writer/engine/statements.ts';
import type { EngineAccess } from '../../writer/engine/supervision.ts';
import { localTable } from '../../writer/schema/schema.ts';
import { logsPart } from './backupPart.ts';

const entries = 4_000;
const waitMsMax = 30_000;
const beginningCharacters = 300_000; // the engine looks for its statement in 256 KiB before it begins
let store: TestStore;
let folder = '';

/** Inserts entries that compress badly, so that the engine sends many before it has read all of them. */
before(async () => {
  store = await startTestStore();
  const stored = Array.from({ length: entries }, (_, index) => {
    const timestampMicros = Date.now() * 1000 + index;
    const traceId = composeTraceId(timestampMicros, index.toString(16).padStart(16, '8'));
    const body = randomBytes(2_000).toString('base64');
    const about = { parentId: '', dataset: 'game', level: 'info', resource: '', metadata: {} } as const;
    return { project: 'one', entry: { traceId, timestampMicros, body, ...about } };
  });
  await insertEntries(store, stored);
});
after(() => store[Symbol.asyncDispose]());

beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-saved-logs-'));
});
afterEach(async () => {
  await rm(folder, { recursive: true });
  await runOnShards(store, `DELETE FROM ${localTable} WHERE dataset != 'game'`);
});

/** Opens the same engine with these settings on every statement, as a user's profile would set them. */
function withSettings(settings: Readonly<Record<string, string>>): EngineAccess {
  const [access] = store.shards;
  const { url, headers } = access.endpoint()!;
  return { ...access, endpoint: () => ({ url: `${url}/?${new URLSearchParams(settings)}`, headers }) };
}

function save(access: EngineAccess): Promise<Readonly<Record<string, number>>> {
  return logsPart({ shards: [access], flush: async () => {}, sync: async () => {} }).save(folder);
}

test('counts the saved entries', async () => {
  assert.deepEqual(await save(store.shards[0]), { log_entries_saved: entries });
});

test('rejects the backup when the engine ends its answer early without an error', async () => {
  const access = withSettings({
    max_result_rows: '100',
    max_block_size: '100',
    result_overflow_mode: 'break',
  });
  await assert.rejects(save(access), {
    code: 'unavailable',
    message:
      /^The backup is not complete: .* holds \d+ log entries where the log engine has 4000\. Make it again\.$/,
  });
});

const failures = [
  { title: 'before the first entry', rows: '1' },
  { title: 'after some entries', rows: '3000' },
];

for (const { title, rows } of failures) {
  test(`an engine that fails ${title} is reported in its own words`, async () => {
    const limits = { max_result_rows: rows, max_block_size: '100', result_overflow_mode: 'throw' };
    await assert.rejects(save(withSettings(limits)), {
      code: 'engine_unavailable',
      message:
        /^The log engine could not be read or written: Code: 396\. DB::Exception: Limit for result exceeded/,
    });
  });
}

test('includes and counts entries that arrived while the clock was ahead', async () => {
  const ahead = `INSERT INTO ${localTable} (project, dataset, timestamp, body, arrivedAt)
    SELECT 'one', 'ahead', now64(6), toString(number), now64(6) + INTERVAL 1 HOUR FROM numbers(7)`;
  await runOnShards(store, ahead);
  assert.deepEqual(await save(store.shards[0]), { log_entries_saved: entries + 7 });
});

test('includes and counts an insert that began before the backup', async () => {
  const [access] = store.shards;
  const query = `INSERT INTO ${localTable} (project, dataset, timestamp, body) FORMAT Values`;
  const insert = openRequest(access.endpoint()!, { parameters: { async_insert: 0, query } });
  const inserted = awaitAnswer(insert).then(readWholeAnswer);
  // The backup asks repeatedly whether the insert has ended; otherwise it would need fewer requests.
  let questions = 0;
  const endpoint = () => {
    if (++questions === 10) insert.end("('one', 'slow', now64(6), 'ended')");
    return access.endpoint();
  };
  try {
    insert.write(`('one', 'slow', now64(6), '${'.'.repeat(beginningCharacters)}'),`);
    await Promise.race([
      untilInserting(access),
      inserted.then(() => assert.fail('the insert ended too soon')),
    ]);
    assert.deepEqual(await save({ ...access, endpoint }), { log_entries_saved: entries + 2 });
  } finally {
    insert.end();
    await inserted;
  }
});

async function untilInserting(access: EngineAccess): Promise<void> {
  const deadline = performance.now() + waitMsMax;
  const sql = "SELECT count() FROM system.processes WHERE query_kind = 'Insert'";
  while (Number((await queryRows(access, { sql }))[0]?.[0]) === 0) {
    assert.ok(performance.now() < deadline, 'the engine does not begin the insert');
    await wait(20);
  }
}
