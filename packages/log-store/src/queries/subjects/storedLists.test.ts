/** Tests that lists of subjects from disk equal lists from entries, and count only for the entries that they were read from. */
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, beforeEach, test } from 'node:test';
import { crc32 } from 'node:zlib';
import type { SubjectList } from '@tapedeck/log-entries';
import { runOnShards, startTestStore, type TestStore } from '../../../tests/clickhouse.ts';
import { localTable } from '../../writer/schema/schema.ts';
import { createLogQueries } from '../queries.ts';

let store: TestStore;
let subjectLists: string;
before(async () => {
  store = await startTestStore();
});
after(() => store[Symbol.asyncDispose]());
beforeEach(async () => {
  subjectLists = mkdtempSync(path.join(tmpdir(), 'tapedeck-lists-'));
  after(() => rmSync(subjectLists, { recursive: true, force: true }));
  await runOnShards(store, `TRUNCATE TABLE ${localTable}`);
  await insert({ first: 0, count: 2_000 });
});

/** Inserts two thousand players with three names each. They arrived an hour ago, so they are settled. */
async function insert({ first, count, minutes = 60 }: { first: number; count: number; minutes?: number }) {
  await runOnShards(
    store,
    `INSERT INTO ${localTable} (project, dataset, timestamp, identity, level, resource, parentId, body, metadata, arrivedAt)
      SELECT 'one', 'game', toDateTime64('2026-01-01 00:00:00', 6) + number, number, 'info', '', '', 'joined',
        map('player.id', toString(number % 2000), 'player.name', concat('Name ', toString(number % 3))),
        now64(6) - INTERVAL ${minutes} MINUTE
      FROM numbers(${first}, ${count})`,
  );
}

const paths = { idPaths: ['player.id', 'citizenid'], namePaths: ['player.name'] };

/** Lists subjects as after a start: ids with counts and names, ordered by id. */
async function list(): Promise<[string, number, string[]][]> {
  const flush = async () => {};
  const queries = createLogQueries({
    shards: store.shards,
    clusterName: null,
    countInserted: null,
    memoryBytesMax: 400_000_000,
    flush,
    waitForWholeBatches: flush,
    subjectLists,
  });
  const lists = await queries.listSubjects('one', paths, new AbortController().signal);
  return lists.flatMap((one: SubjectList) =>
    [...one].map(([id, { count, names }]): [string, number, string[]] => [
      id,
      count,
      [...names.keys()].sort(),
    ]),
  );
}

/** Changes entries in place, so the list cannot notice. */
const rewrite = `ALTER TABLE ${localTable} UPDATE metadata = map('player.id', 'other') WHERE 1 SETTINGS mutations_sync = 1`;

function nameFile(): string {
  const [name = ''] = readdirSync(subjectLists);
  return path.join(subjectLists, name);
}

test('a start loads the list from disk and reads later entries', async () => {
  const written = await list();
  assert.deepEqual([written.length, written[0]?.[1]], [2_000, 1]);
  await runOnShards(store, rewrite);
  assert.deepEqual(await list(), written);
  await insert({ first: 2_000, count: 3, minutes: 0 });
  const grown = await list();
  assert.deepEqual(grown.slice(0, written.length), written);
  assert.deepEqual(
    grown.slice(written.length).sort(),
    [2_000, 2_001, 2_002].map(n => [String(n % 2000), 1, [`Name ${n % 3}`]]),
  );
});

const doubts: [string, () => Promise<void>][] = [
  ['its head is damaged', async () => flip(20)],
  ['one of its lines is damaged', async () => flip(30_000)],
  ['its end is missing', async () => writeFileSync(nameFile(), readFileSync(nameFile()).subarray(0, 30_000))],
  ['its last lines are missing', async () => dropLines(2)],
  ['it is gone', async () => rmSync(nameFile())],
  [
    'nobody has asked for a week',
    async () => {
      const long = new Date(Date.now() - 8 * 86_400_000);
      utimesSync(nameFile(), long, long);
    },
  ],
  [
    'an entry is deleted and another one arrives with the same time',
    async () => {
      await runOnShards(store, `DELETE FROM ${localTable} WHERE identity = 5`);
      await insert({ first: 9_000, count: 1 });
    },
  ],
];

for (const [title, spoil] of doubts)
  test(`reads the entries again when ${title}`, async () => {
    await list();
    await spoil();
    await runOnShards(store, rewrite);
    assert.deepEqual(await list(), [['other', 2_000, []]]);
    assert.ok(!readFileSync(nameFile(), 'utf8').includes('Name 1'));
  });

test('counts each entry once after the clock was set back', async () => {
  await list();
  const moved = `ALTER TABLE ${localTable} UPDATE arrivedAt = now64(6) + INTERVAL 20 MINUTE WHERE 1 SETTINGS mutations_sync = 1`;
  await runOnShards(store, moved);
  moveEnd(Date.now() + 30 * 60_000);
  await insert({ first: 2_000, count: 6_000, minutes: -60 });
  const counts = new Map<string, number>();
  for (const [id, count] of await list()) counts.set(id, (counts.get(id) ?? 0) + count);
  assert.deepEqual([counts.size, new Set(counts.values())], [2_000, new Set([4])]);
});

/** Makes the list one of everything that arrived before the moment. */
function moveEnd(endMs: number): void {
  const [head = '', ...lines] = readFileSync(nameFile(), 'utf8').split('\n');
  const header = JSON.stringify({ ...JSON.parse(head.slice(head.indexOf(' '))), endMicros: endMs * 1000 });
  writeFileSync(nameFile(), [`${crc32(header)} ${header}`, ...lines].join('\n'));
}

function dropLines(count: number): void {
  const lines = readFileSync(nameFile(), 'utf8').split('\n');
  writeFileSync(nameFile(), lines.slice(0, -count).join('\n'));
}

function flip(at: number): void {
  const bytes = readFileSync(nameFile());
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(nameFile(), bytes);
}
