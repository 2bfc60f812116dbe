/** `tapedeck import logs --from`: which entries arrive, in which order, under which parent, and killed or repeated imports. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { recordAddress } from '../../src/stores/dataDirectory/dataDirectory.ts';
import { startHostedSource } from '../support/hostedSource.ts';
import {
  beginImport,
  dataOf,
  importTokens,
  type ListedEntry,
  listEntries,
  runImport,
  startFoundService,
} from '../support/imports.ts';
import { addPerson, addProject, addToken } from '../support/people.ts';
import { makeDirectory, startTestService } from '../support/service.ts';
import { runTapedeck, tapedeck } from '../support/tapedeck.ts';

const source = await startFoundService();
const destination = await startFoundService();
after(async () => {
  await source[Symbol.asyncDispose]();
  await destination[Symbol.asyncDispose]();
});
const noon = Date.parse('2026-01-02T12:00:00Z');

async function store(items: readonly object[], dataset: string, service = source): Promise<void> {
  const headers = { authorization: importTokens.logs, 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body: JSON.stringify(items) };
  const response = await service.fetch(`/api/v3/logs?dataset=${dataset}`, init);
  assert.equal(response.status, 200, await response.text());
}

const entry = (message: string, more: object = {}) => ({ level: 'info', message, timestamp: noon, ...more });

/** Fields that must be equal on both sides. */
const compare = ({ timestamp, level, resource, body, metadata }: ListedEntry) => {
  const { 'imported.traceId': _, 'imported.parentId': __, ...rest } = metadata;
  return { timestamp, level, resource, body, metadata: rest };
};

async function requireEqual(dataset: string, to = destination): Promise<void> {
  const [left, right] = await Promise.all([listEntries(source, dataset), listEntries(to, dataset)]);
  assert.deepEqual(right.map(compare), left.map(compare));
  assert.deepEqual(
    right.map(({ metadata }) => metadata['imported.traceId']),
    left.map(({ traceId }) => traceId),
  );
}

// More entries with the same microsecond than a page holds, and more in all than the importer keeps in one piece.
await store(
  Array.from({ length: 350 }, (_, number) => entry(`tie ${number}`, { level: 'warn', resource: 'shop' })),
  'default',
);
await store(
  Array.from({ length: 2_600 }, (_, number) =>
    entry(`tick ${number}`, {
      timestamp: noon + 10 + (number >> 1),
      metadata: { n: number, deep: { a: 1 } },
    }),
  ),
  'default',
);
await store([entry('alone', { level: 'error', metadata: {} })], 'other');
const [parent] = await listEntries(source, 'other');
await store([entry('elsewhere', { parentId: parent?.traceId, timestamp: noon - 5 })], 'another');
await store(
  [
    entry('child of a later one', { parentId: 'nobody', timestamp: noon - 9 }),
    entry('root', { timestamp: noon + 1 }),
  ],
  'trees',
);
const root = (await listEntries(source, 'trees')).find(({ body }) => body === 'root');
await store(
  [
    entry('leaf', { parentId: root?.traceId, timestamp: noon + 1 }),
    entry('beside', { timestamp: noon + 1 }),
    entry('early leaf', { parentId: root?.traceId, timestamp: noon - 3 }),
  ],
  'trees',
);
const all = 350 + 2_600 + 1 + 1 + 5;
const words = ['logs', '--from', source.url, '--token', importTokens.logs];

test('imports every dataset in order, and once', async () => {
  const counts = await runImport(words, dataOf(destination));
  assert.deepEqual(counts, { kind: 'logs', found: all, imported: all, skipped: 0, failed: 0, exitCode: 0 });
  for (const dataset of ['default', 'other', 'another', 'trees']) await requireEqual(dataset);
  const again = await runImport(words, dataOf(destination));
  assert.deepEqual([again.found, again.imported, again.skipped], [all, 0, all]);
  await requireEqual('default');
});

test('nests children under their parents, whichever was read first, and orphans name theirs', async () => {
  const trees = await listEntries(destination, 'trees');
  const find = (body: string) => trees.find(each => each.body === body);
  const newRoot = find('root')?.traceId;
  assert.deepEqual(
    [find('leaf')?.parentId, find('early leaf')?.parentId, find('root')?.parentId],
    [newRoot, newRoot, ''],
  );
  const orphan = find('child of a later one');
  assert.deepEqual([orphan?.parentId, orphan?.metadata['imported.parentId']], ['', 'nobody']);
  const [other] = await listEntries(destination, 'other');
  const [another] = await listEntries(destination, 'another');
  assert.equal(another?.parentId, other?.traceId);
});

test('reads a plain V3 API with rate limits and new entries to its end, though killed twice', async () => {
  const owner = await addPerson(destination, { isOwner: true });
  await addProject(owner, 'plain');
  await using plain = await startHostedSource(source.url);
  const given = { ...dataOf(destination), TAPEDECK_TOKEN: importTokens.logs };
  const plainWords = ['logs', '--from', plain.url, '--project', 'plain'];
  const killAt = async (count: number) => {
    const begun = beginImport(plainWords, given);
    let seen = 0;
    plain.watch(async (_path, number) => {
      seen += 1;
      if (seen === count) begun.kill();
      if (number % 9 === 0) return { status: 429, headers: { 'Retry-After': '0' } };
      return undefined;
    });
    assert.equal((await begun.ended).printed, '');
  };
  await killAt(12);
  await killAt(30);
  plain.watch(() => undefined);
  await store([entry('late', { timestamp: noon + 100_000 })], 'default');
  const counts = await runImport(plainWords, given);
  const found = 350 + 2_600 + 1;
  assert.deepEqual([counts.found, counts.imported + counts.skipped, counts.failed], [found, found, 0]);
  // The other project's token reads what arrived there.
  const { listed } = await readProject('plain', found);
  assert.deepEqual(listed.map(compare), (await listEntries(source, 'default')).map(compare));
});

async function readProject(project: string, count: number): Promise<{ listed: ListedEntry[] }> {
  const owner = await addPerson(destination, { isOwner: true });
  const { token } = await addToken(owner, { kind: 'logs', project });
  const response = await destination.fetch('/api/v3/logs/export?order=asc', {
    headers: { authorization: token },
  });
  const listed = (await response.text())
    .split('\n')
    .filter(Boolean)
    .map(line => JSON.parse(line) as ListedEntry); // CONTRACT.md, 4.2
  assert.equal(listed.length, count);
  return { listed };
}

test('starts a service for the import if none is running, and imports only from a given time', async () => {
  await using directory = await makeDirectory();
  const given = { TAPEDECK_DATA_DIR: directory.path };
  const since = new Date(noon + 10 + 1_200).toISOString();
  const counts = await runImport([...words, '--since', since, '--dataset', 'default'], given);
  assert.deepEqual([counts.found, counts.imported], [201, 201]);
});

test('an entry without a place for its origin keeps all its values, the shortest in one text', async () => {
  const values = Object.fromEntries(Array.from({ length: 256 }, (_, number) => [`k${number}`, `v${number}`]));
  await store([entry('full', { metadata: values, parentId: 'nobody' })], 'full');
  const counts = await runImport([...words, '--dataset', 'full'], dataOf(destination));
  assert.deepEqual([counts.imported, counts.failed], [1, 0]);
  const [full] = await listEntries(destination, 'full');
  const { 'imported.more': more = '', 'imported.traceId': _, ...kept } = full?.metadata ?? {};
  const { 'imported.parentId': parentId, ...rest } = kept;
  assert.equal(parentId, 'nobody');
  assert.deepEqual({ ...rest, ...JSON.parse(more) }, values);
  assert.deepEqual(JSON.parse(more), { k0: 'v0', k1: 'v1', k2: 'v2' });
});

test('counts and names what it cannot store', async () => {
  await using strict = await startTestService({});
  await recordAddress(strict.dataDir, strict.url);
  await runTapedeck(['dataset', 'set', 'other', '--retain', '1d'], dataOf(strict));
  const counts = await runImport([...words, '--dataset', 'other'], dataOf(strict));
  assert.deepEqual([counts.found, counts.imported, counts.failed, counts.exitCode], [1, 0, 1, 1]);
});

test('revokes the token of an import when it is complete', async () => {
  type Listed = { name: string }[];
  const listed = JSON.parse(await tapedeck(['token', 'list', '--json'], dataOf(destination))) as Listed; // CONTRACT.md, 3.1
  assert.equal(listed.filter(({ name }) => name === 'tapedeck import').length, 0);
});
