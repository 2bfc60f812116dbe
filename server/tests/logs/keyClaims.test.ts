/** Tests that a key used at one node applies at the other: repeated, concurrent, with another body, rejected, and unfinished. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { keyLifeMs } from '@tapedeck/domain/logs/intake/keyClaims';
import type { KeyClaims } from '@tapedeck/domain/ports/keyClaims';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import { openMetadataStore } from '@tapedeck/metadata-store';
import { ingestChat } from '../../src/intake/chat/chatIntake.ts';
import { makeDirectory } from '../support/service.ts';
import { ingestLogs, makeRequest, type OpenedIngest, openIngest } from './ingestFixture.ts';

const entries = [{ level: 'info', message: 'once' }];
const idempotencyKey = { tokenId: 'token', route: 'logs', key: 'a' };
const unavailable = new ServiceError('unavailable', 'The metadata database does not answer.');

type Node = OpenedIngest & {
  /** Calls to the metadata store that fail while listed here. */
  failing: Set<keyof KeyClaims>;
  reported: unknown[];
};
type Nodes = AsyncDisposable & { first: Node; second: Node; claims: KeyClaims; advance(ms: number): void };

async function openNodes(): Promise<Nodes> {
  await using opened = new AsyncDisposableStack();
  const directory = opened.use(await makeDirectory());
  const file = path.join(directory.path, 'metadata.db');
  const { keyClaims: claims } = opened.use(await openMetadataStore({ kind: 'sqlite', file }));
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead, micros: () => (Date.now() + ahead) * 1000 };
  const openNode = async (nodeId: string): Promise<Node> => {
    const failing: Node['failing'] = new Set();
    const reported: unknown[] = [];
    const faulty = new Proxy(claims, {
      get: (target, name: keyof KeyClaims) =>
        failing.has(name) ? () => Promise.reject(unavailable) : target[name].bind(target),
    });
    const sharing = {
      claims: faulty,
      nodeId,
      clock,
      openClaimMs: keyLifeMs,
      report: (error: unknown) => void reported.push(error),
    };
    const ingest = opened.use(await openIngest({ clock }, sharing));
    return Object.assign(ingest, { failing, reported });
  };
  const [first, second] = [await openNode('one'), await openNode('two')];
  const running = opened.move();
  return {
    first,
    second,
    claims,
    advance: ms => {
      ahead += ms;
    },
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

function send(node: Node, sent: unknown = entries, changes: object = {}): Promise<{ traceId: string }> {
  return ingestLogs(node.deps, makeRequest(sent, { idempotencyKey, ...changes }));
}

async function countRows({ first, second }: Nodes): Promise<number> {
  return (await first.takeRows()).length + (await second.takeRows()).length;
}

test('a repeat at another node returns the same response and stores nothing, on the chat route too', async () => {
  await using nodes = await openNodes();
  const { first, second } = nodes;
  const receipt = await send(first);
  assert.deepEqual(await send(second), receipt);
  const chat = makeRequest({ content: 'hello' }, { idempotencyKey: { ...idempotencyKey, route: 'chat' } });
  assert.deepEqual(await ingestChat(first.deps, chat), await ingestChat(second.deps, chat));
  assert.equal(await countRows(nodes), 2);
});

test('rejects another body at another node', async () => {
  await using nodes = await openNodes();
  await send(nodes.first);
  const reused = { code: 'idempotency_key_reused' };
  await assert.rejects(send(nodes.second, [{ level: 'info', message: 'twice' }]), reused);
  await assert.rejects(send(nodes.second, entries, { dataset: 'other' }), reused);
  assert.equal(await countRows(nodes), 1);
});

test('a rejected request frees its key at the other node', async () => {
  await using nodes = await openNodes();
  await assert.rejects(send(nodes.first, [{ level: 'loud' }]), { code: 'invalid_field' });
  await send(nodes.second);
  assert.equal(await countRows(nodes), 1);
});

test('stores one of many concurrent requests at two nodes, and the others return the same response', async () => {
  await using nodes = await openNodes();
  const sent = Array.from({ length: 40 }, (_, index) => send(index % 2 === 0 ? nodes.first : nodes.second));
  const receipts = await Promise.all(sent);
  assert.equal(new Set(receipts.map(({ traceId }) => traceId)).size, 1);
  assert.equal(await countRows(nodes), 1);
});

test('of two concurrent bodies at two nodes, stores one and rejects the other', async () => {
  await using nodes = await openNodes();
  const outcomes = await Promise.allSettled([
    send(nodes.first),
    send(nodes.second, [{ level: 'warn', message: 'other' }]),
  ]);
  assert.deepEqual(outcomes.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected']);
  assert.equal(await countRows(nodes), 1);
});

test('a key is free again at every node after a day', async () => {
  await using nodes = await openNodes();
  await send(nodes.first);
  nodes.advance(24 * 3_600_000 + 60_000);
  await send(nodes.second);
  assert.equal(await countRows(nodes), 2);
});

test('skips the metadata store without a key, or when the key is in the local journal', async () => {
  await using nodes = await openNodes();
  const { first } = nodes;
  const receipt = await send(first);
  for (const name of ['claim', 'find', 'complete', 'free'] as const) first.failing.add(name);
  assert.deepEqual(await send(first), receipt);
  await send(first, entries, { idempotencyKey: null });
  await assert.rejects(
    send(first, entries, { idempotencyKey: { ...idempotencyKey, key: 'b' } }),
    unavailable,
  );
  assert.equal(await countRows(nodes), 2);
});

test('acknowledges a stored request with an unrecorded key; other nodes wait until it is settled', async () => {
  await using nodes = await openNodes();
  const { first, second } = nodes;
  first.failing.add('complete');
  const receipt = await send(first);
  assert.deepEqual(first.reported, [unavailable]);
  const pending = { code: 'unavailable', retryAfterSeconds: 5, message: /with the same key/ };
  const startedAt = performance.now();
  await Promise.all([1, 2, 3].map(() => assert.rejects(send(second), pending)));
  assert.ok(performance.now() - startedAt < 10_000, 'all of them wait concurrently');
  assert.deepEqual(await send(first), receipt);
  first.failing.clear();
  const waiting = send(second);
  await first.deps.keyGate.resolveClaims();
  assert.deepEqual(await waiting, receipt);
  assert.equal(await countRows(nodes), 1);
});

test('a large request does not wait for another node and block other large requests', async () => {
  await using nodes = await openNodes();
  const { first, second } = nodes;
  const large = Array.from({ length: 20 }, () => ({ level: 'info', message: 'x'.repeat(60_000) }));
  first.failing.add('complete');
  await send(first, large);
  const startedAt = performance.now();
  await assert.rejects(send(second, large), { code: 'unavailable', retryAfterSeconds: 5 });
  assert.ok(performance.now() - startedAt < 4_000, 'a small request waits for five seconds');
  assert.equal(await countRows(nodes), large.length);
});

test('rejects even if a key cannot be freed; it is free locally at once, elsewhere once settled', async () => {
  await using nodes = await openNodes();
  const { first, second } = nodes;
  first.failing.add('free');
  const refused = { code: 'invalid_field' };
  await assert.rejects(send(first, [{ level: 'loud' }]), refused);
  await assert.rejects(send(first, [{ level: 'louder' }]), refused);
  first.failing.clear();
  const waiting = send(second);
  await first.deps.keyGate.resolveClaims();
  await waiting;
  assert.deepEqual(await send(first), await waiting);
  assert.equal(await countRows(nodes), 1);
});

test('does not settle the requests of other nodes that are in progress', async () => {
  await using nodes = await openNodes();
  const { first } = nodes;
  const sending = Array.from({ length: 20 }, (_, index) =>
    send(first, entries, { idempotencyKey: { ...idempotencyKey, key: `k${index}` } }),
  );
  let isDone = false;
  const all = Promise.all(sending).finally(() => {
    isDone = true;
  });
  while (!isDone) await first.deps.keyGate.resolveClaims();
  const receipts = await all;
  for (const [index, receipt] of receipts.entries()) {
    const key = { ...idempotencyKey, key: `k${index}` };
    assert.deepEqual(await send(nodes.second, entries, { idempotencyKey: key }), receipt);
  }
  assert.equal(await countRows(nodes), 20);
});
