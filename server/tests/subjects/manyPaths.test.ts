/** A subject seen at ten paths under two hundred names: its page, timeline and evidence hold every entry once. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { createEvidence } from '@tapedeck/contract/evidence';
import { updateProject } from '@tapedeck/contract/projects';
import { getSubject, listSubjects } from '@tapedeck/contract/subjects';
import { getTimeline } from '@tapedeck/contract/timeline';
import { listStoredEntries } from '@tapedeck/zip-archives';
import { openLogClient } from '../support/logSender.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { owner, store } = await openLogClient(service);
const params = { project: 'default' };
const id = 'license:0123456789abcdef0123456789abcdef01234567';
const paths = Array.from({ length: 10 }, (_, index) => `part${index}.of.an.entry.id`);
const namesCount = 200;
const entriesCount = 1_500;
const startedAt = service.clock.now() - 30 * 86_400_000;

/** Every seventh entry names the subject twice, every third names another subject too. */
const items = Array.from({ length: entriesCount }, (_, index) => ({
  level: 'info',
  message: `entry ${index}`,
  metadata: {
    [paths[index % 10] ?? '']: id,
    ...(index % 7 === 0 && { [paths[(index + 1) % 10] ?? '']: id }),
    ...(index % 3 === 0 && { [paths[(index + 2) % 10] ?? '']: 'somebody else' }),
    name: `Name ${index % namesCount}`,
  },
  timestamp: new Date(startedAt + index * 1_000_000).toISOString(),
}));
for (let first = 0; first < entriesCount; first += 500) await store(items.slice(first, first + 500), 'game');
await store([{ level: 'info', message: 'else', metadata: { [paths[0] ?? '']: 'somebody else' } }], 'game');
const subjects = [{ kind: 'player', idPaths: paths, namePaths: ['name'] }];
await owner.call(updateProject, { params, body: { subjects } });
const query = `(${paths.map(path => `${path}:"${id}"`).join(' OR ')})`;
const expected = items.map(({ message }) => message);

test('its page counts each entry once, and lists the paths of the id', async () => {
  const { data } = await owner.call(getSubject, { params: { ...params, kind: 'player', id } });
  assert.deepEqual(
    [data.entries, data.names.length, data.levels.info],
    [entriesCount, namesCount, entriesCount],
  );
  assert.deepEqual(data.idPaths, paths);
  const seen = [items[0], items.at(-1)].map(item => item?.timestamp.replace('Z', '000Z'));
  assert.deepEqual([data.firstSeenAt, data.lastSeenAt], seen);
  assert.equal(
    data.hours.flat().reduce((sum, count) => sum + count, 0),
    entriesCount,
  );
  const one = await owner.call(getSubject, { params: { ...params, kind: 'player', id: 'somebody else' } });
  assert.deepEqual(one.data.idPaths, paths);
});

test('a search for any of its names finds it', async () => {
  for (const q of ['Name 0', 'name 57', 'NAME 199']) {
    const { data } = await owner.call(listSubjects, { params, query: { q } });
    assert.ok(data.some(subject => subject.id === id && subject.names.length === namesCount));
  }
});

test('its timeline has each entry once, newest first', async () => {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = { query, limit: 100, ...(cursor !== undefined && { cursor }) };
    const { data, pagination } = await owner.call(getTimeline, { params, query: page });
    found.push(...data.flatMap(row => (row.kind === 'entry' ? row.body : [])));
    cursor = pagination.nextCursor ?? undefined;
  } while (cursor !== undefined);
  assert.deepEqual(found, expected.toReversed());
});

test('evidence has each entry once, oldest first', async () => {
  const response = await owner.send(createEvidence, { params, body: { query } });
  const bytes = Buffer.from(await response.arrayBuffer());
  assert.equal(response.status, 200, bytes.toString().slice(0, 300));
  const read = async (at: number, length: number) => bytes.subarray(at, at + length);
  const listed = await listStoredEntries({ sizeBytes: bytes.length, read });
  const entries = listed.find(({ path }) => path === 'entries.ndjson');
  assert.ok(entries);
  const lines = bytes
    .toString('utf8', entries.startsAt, entries.startsAt + entries.sizeBytes)
    .trim()
    .split('\n');
  const bodies = lines.map(line => (JSON.parse(line) as { body: string }).body); // exports write this shape
  assert.deepEqual(bodies, expected);
});
