/** A key lets a request take effect once: repeated, at the same time, with another body, refused, and after a restart. */
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { makeRequest, type OpenedIngest, openIngest } from '../../../../tests/logs/ingests.ts';
import { localDisk } from '../../../stores/logs/journal/disk/disk.ts';
import { KeyShelves } from '../../../stores/logs/journal/disk/keys.ts';
import { ingestLogs } from './ingest.ts';

const body = [{ level: 'info', message: 'once' }];
const idempotencyKey = { tokenId: 'token', route: 'logs', key: 'a' };
const reused = { code: 'idempotency_key_reused' };

function send(
  opened: OpenedIngest,
  changes: object = {},
  sent: unknown = body,
): Promise<{ traceId: string }> {
  return ingestLogs(opened.deps, makeRequest(sent, { idempotencyKey, ...changes }));
}

test('a repeat answers the same and stores nothing', async () => {
  await using opened = await openIngest();
  const first = await send(opened);
  assert.deepEqual(await send(opened), first);
  assert.equal((await opened.takeRows()).length, 1);
});

test('without a key, a repeat is a new request', async () => {
  await using opened = await openIngest();
  for (let time = 0; time < 2; time++) await send(opened, { idempotencyKey: null });
  assert.equal((await opened.takeRows()).length, 2);
});

test('keys of other tokens and routes are other keys', async () => {
  await using opened = await openIngest();
  const others = [
    idempotencyKey,
    { ...idempotencyKey, tokenId: 'other' },
    { ...idempotencyKey, route: 'chat' },
    { ...idempotencyKey, key: 'b' },
    { tokenId: 'tok', route: 'enlogs', key: 'a' },
  ];
  for (const key of others) await send(opened, { idempotencyKey: key });
  assert.equal((await opened.takeRows()).length, others.length);
});

test('another body, dataset or project under the same key is refused', async () => {
  await using opened = await openIngest();
  await send(opened);
  await assert.rejects(send(opened, {}, [{ level: 'info', message: 'twice' }]), reused);
  await assert.rejects(send(opened, { dataset: 'other' }), reused);
  await assert.rejects(send(opened, {}, 'not even JSON'), reused);
  assert.equal((await opened.takeRows()).length, 1);
});

test('a refused request frees its key', async () => {
  await using opened = await openIngest();
  await assert.rejects(send(opened, {}, [{ level: 'loud' }]), { code: 'invalid_field' });
  await send(opened);
  assert.equal((await opened.takeRows()).length, 1);
});

test('of many at the same time one is stored, and the others wait for it', async () => {
  await using opened = await openIngest();
  const receipts = await Promise.all(Array.from({ length: 50 }, () => send(opened)));
  assert.equal(new Set(receipts.map(receipt => receipt.traceId)).size, 1);
  assert.equal((await opened.takeRows()).length, 1);
});

test('of two bodies at the same time under one key, one is stored and the other refused', async () => {
  await using opened = await openIngest();
  const outcomes = await Promise.allSettled([
    send(opened),
    send(opened, {}, [{ level: 'warn', message: 'other' }]),
  ]);
  assert.deepEqual(
    outcomes.map(outcome => outcome.status),
    ['fulfilled', 'rejected'],
  );
  assert.equal((await opened.takeRows()).length, 1);
});

test('a repeat that waits for a request that is refused takes its place', async () => {
  await using opened = await openIngest();
  const outcomes = await Promise.allSettled([send(opened, {}, [{ level: 'loud' }]), send(opened)]);
  assert.deepEqual(
    outcomes.map(outcome => outcome.status),
    ['rejected', 'fulfilled'],
  );
  assert.equal((await opened.takeRows()).length, 1);
});

test('a key of more than 1024 characters is refused', async () => {
  await using opened = await openIngest();
  await assert.rejects(send(opened, { idempotencyKey: { ...idempotencyKey, key: 'k'.repeat(1025) } }), {
    code: 'invalid_field',
  });
});

test('stored keys are found after a restart, a half-written one is not, and after a day none is', async () => {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-keys-'));
  const hourMs = 3_600_000;
  const start = Date.UTC(2026, 5, 1, 12);
  const make = (number: number, storedAt: number) => {
    const hash = Buffer.alloc(16);
    hash.writeUInt32LE(number % 7, 0); // many begin alike
    hash.writeUInt32LE(number, 8);
    return { scopeHash: hash, bodyHash: Buffer.alloc(16, number), traceId: Buffer.alloc(16, 1), storedAt };
  };
  const records = Array.from({ length: 300 }, (_, number) => make(number, start + number * 10_000));
  try {
    {
      await using shelves = await KeyShelves.open(localDisk, directory, start);
      await shelves.add(records.slice(0, 200), start);
      await shelves.add(records.slice(200), start);
      for (const record of records) assert.deepEqual(await shelves.find(record.scopeHash, start), record);
    }
    const last = Math.max(...(await localDisk.list(directory)).map(name => Number.parseInt(name, 10)));
    const file = await localDisk.open(path.join(directory, `${last}.keys`));
    await file.truncate((await file.size()) - 1);
    await file.close();
    await using shelves = await KeyShelves.open(localDisk, directory, start);
    const found = await Promise.all(records.map(record => shelves.find(record.scopeHash, start)));
    assert.deepEqual(found, records.with(-1, null as never)); // the last is the half-written one
    await shelves.add([make(9_999, start)], start);
    assert.notEqual(await shelves.find(make(9_999, start).scopeHash, start), null);
    assert.equal(await shelves.find(records[0]!.scopeHash, start + 24 * hourMs), null);
    assert.notEqual(await shelves.find(records[10]!.scopeHash, start + 24 * hourMs), null);
    await shelves.add([], start + 60 * hourMs);
    assert.deepEqual(await localDisk.list(directory), []);
  } finally {
    await rm(directory, { recursive: true });
  }
});
