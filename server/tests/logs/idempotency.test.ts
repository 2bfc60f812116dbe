/** Tests that a key takes effect once: repeated, concurrent, with another body, rejected, and after a restart. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ingestLogs, makeRequest, type OpenedIngest, openIngest } from './ingestFixture.ts';

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

test('a repeat returns the same response and stores nothing', async () => {
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

test('keys of different tokens and routes are independent', async () => {
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

test('rejects another body, dataset or project under the same key', async () => {
  await using opened = await openIngest();
  await send(opened);
  await assert.rejects(send(opened, {}, [{ level: 'info', message: 'twice' }]), reused);
  await assert.rejects(send(opened, { dataset: 'other' }), reused);
  await assert.rejects(send(opened, {}, 'not even JSON'), reused);
  assert.equal((await opened.takeRows()).length, 1);
});

test('a rejected request frees its key', async () => {
  await using opened = await openIngest();
  await assert.rejects(send(opened, {}, [{ level: 'loud' }]), { code: 'invalid_field' });
  await send(opened);
  assert.equal((await opened.takeRows()).length, 1);
});

test('stores one of many concurrent requests, and the others wait for it', async () => {
  await using opened = await openIngest();
  const receipts = await Promise.all(Array.from({ length: 50 }, () => send(opened)));
  assert.equal(new Set(receipts.map(receipt => receipt.traceId)).size, 1);
  assert.equal((await opened.takeRows()).length, 1);
});

test('of two concurrent bodies under one key, stores one and rejects the other', async () => {
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

test('a repeat that waited for a rejected request takes its place', async () => {
  await using opened = await openIngest();
  const outcomes = await Promise.allSettled([send(opened, {}, [{ level: 'loud' }]), send(opened)]);
  assert.deepEqual(
    outcomes.map(outcome => outcome.status),
    ['rejected', 'fulfilled'],
  );
  assert.equal((await opened.takeRows()).length, 1);
});

test('rejects a key of more than 1024 characters', async () => {
  await using opened = await openIngest();
  await assert.rejects(send(opened, { idempotencyKey: { ...idempotencyKey, key: 'k'.repeat(1025) } }), {
    code: 'invalid_field',
  });
});
