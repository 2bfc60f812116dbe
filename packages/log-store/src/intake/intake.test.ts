/** Each acknowledged entry reaches ClickHouse as it was stored, once, and in time for the next query. */
import assert from 'node:assert/strict';
import { copyFile, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { countMessages, openIntake, openStore } from '../../tests/engines.ts';
import { diskError } from '../../tests/interceptedDisk.ts';
import { absentShard, silentLog, storeMessages } from '../../tests/rows.ts';
import { type JournalDisk, localDisk } from '../journal/disk/disk.ts';
import { damagedFolder } from '../journal/disk/recovery.ts';
import { queryRows } from '../writer/engine/statements.ts';
import { localTable } from '../writer/schema/schema.ts';
import { openLogIntake } from './intake.ts';

const flushTimeMs = 10_000;
const stopTimeMsMax = 7_000; // five are for the engine; an insert itself ends after two minutes
const dayMicros = 86_400_000_000;
let directory = '';

beforeEach(async () => {
  directory = await mkdtemp(path.join(os.tmpdir(), 'tapedeck-intake-'));
});

afterEach(async () => {
  await rm(directory, { recursive: true });
});

test('an acknowledged entry is visible to the next query, exactly as stored', async () => {
  await using store = await openStore(directory);
  const target = { project: 'arena', dataset: 'späte-runde', retentionDays: 30 };
  const messages = ['', 'plain', 'ünï\0cödé 🎮', 'x'.repeat(65_536)];
  await storeMessages(store.intake, messages, { target });
  await store.intake.flush(flushTimeMs);
  const sql = `SELECT project, dataset, retentionDays, level, resource, parentId, body, metadata, timestamp FROM ${localTable} ORDER BY timestamp, identity`;
  const rows = await queryRows(store.engine, { sql });
  assert.deepEqual(
    rows.map(row => row.slice(0, -1)),
    messages.map((message, index) => [
      'arena',
      'späte-runde',
      30,
      'info',
      'test',
      '',
      message,
      { index: String(index) },
    ]),
  );
});

test('queries under load see only whole batches, even if a batch spans several parts', async () => {
  await using store = await openStore(directory);
  let acknowledged = 0;
  let isDone = false;
  const writer = async () => {
    while (!isDone) {
      // Spans three months, so that each batch becomes several parts.
      const timestampsMicros = [0, 40, 80].map(days => Date.now() * 1000 - days * dayMicros);
      await storeMessages(store.intake, ['a', 'b', 'c'], { timestampsMicros });
      acknowledged += 3;
    }
  };
  const writers = Array.from({ length: 4 }, writer);
  for (let round = 0; round < 25; round++) {
    const before = acknowledged;
    await store.intake.flush(flushTimeMs);
    const [[count] = []] = await queryRows(store.engine, { sql: `SELECT count() FROM ${localTable}` });
    assert.ok(Number(count) >= before, `${count} found, ${before} acknowledged`);
    assert.equal(Number(count) % 3, 0, 'part of a batch is visible');
  }
  isDone = true;
  await Promise.all(writers);
});

test('does not insert a segment again when it reappears after its insertion', async () => {
  const journal = path.join(directory, 'journal');
  {
    await using store = await openStore(directory);
    process.kill(store.engine.processId() ?? 0, 'SIGSTOP'); // keeps the segment until it is copied
    await storeMessages(store.intake, ['only once']);
    for (const name of await readdir(journal)) {
      if (name.endsWith('.journal')) await copyFile(path.join(journal, name), path.join(directory, name));
    }
    process.kill(store.engine.processId() ?? 0, 'SIGCONT');
    await store.intake.flush(flushTimeMs);
  }
  for (const name of await readdir(directory)) {
    if (name.endsWith('.journal')) await copyFile(path.join(directory, name), path.join(journal, name));
  }
  await using store = await openStore(directory);
  await store.intake.flush(flushTimeMs);
  assert.deepEqual(await countMessages(store.engine), new Map([['only once', 1]]));
});

test('reports an engine that stays away too long as unavailable, not as an empty result', async () => {
  await using store = await openStore(directory);
  process.kill(store.engine.processId() ?? 0, 'SIGSTOP');
  await storeMessages(store.intake, ['kept']);
  await assert.rejects(store.intake.flush(100), { code: 'engine_unavailable' });
  process.kill(store.engine.processId() ?? 0, 'SIGCONT');
  await store.intake.flush(flushTimeMs);
  assert.deepEqual(await countMessages(store.engine), new Map([['kept', 1]]));
});

test('a stop waits only seconds for a hanging engine, and the next start delivers the rest', async () => {
  await using store = await openStore(directory);
  const journal = path.join(directory, 'second journal');
  process.kill(store.engine.processId() ?? 0, 'SIGSTOP');
  const intake = await openIntake(journal, store.engine);
  await storeMessages(intake, ['not taken yet']);
  await assert.rejects(intake.flush(100), { code: 'engine_unavailable' }); // the insert is running
  const stoppedAt = performance.now();
  await intake[Symbol.asyncDispose]();
  assert.ok(performance.now() - stoppedAt < stopTimeMsMax);
  process.kill(store.engine.processId() ?? 0, 'SIGCONT');
  await using next = await openIntake(journal, store.engine);
  await next.flush(flushTimeMs);
  assert.deepEqual(await countMessages(store.engine), new Map([['not taken yet', 1]]));
});

test('sends nothing of a segment while the engine still works on a piece of it', async () => {
  await using store = await openStore(directory);
  const journal = path.join(directory, 'second journal');
  {
    const options = {
      directory: journal,
      shards: [absentShard],
      engineDirectory: path.join(directory, 'engine'),
    };
    await using away = await openLogIntake({ disk: localDisk, log: silentLog }, options);
    await storeMessages(away, ['once']);
  }
  const [name = ''] = await findSegments(journal);
  // Imitates a piece whose connection broke: the flusher only sees that something runs under its name.
  const { url = '', headers } = store.engine.endpoint() ?? {};
  const piece = new URL(url);
  piece.searchParams.set('query_id', `tapedeck-${path.basename(name, '.journal')}-0`);
  const running = fetch(piece, { method: 'POST', headers: headers ?? {}, body: 'SELECT sleep(3)' });
  const sql = 'SELECT count() FROM system.processes WHERE query_id = {id:String}';
  const parameters = { id: piece.searchParams.get('query_id') ?? '' };
  for (let isRunning = false; !isRunning; ) {
    isRunning = Number((await queryRows(store.engine, { sql, parameters }))[0]?.[0]) > 0;
  }
  await using intake = await openIntake(journal, store.engine);
  await assert.rejects(intake.flush(1_000), { code: 'engine_unavailable' });
  assert.deepEqual(await countMessages(store.engine), new Map());
  assert.equal((await running).status, 200);
  await intake.flush(flushTimeMs);
  assert.deepEqual(await countMessages(store.engine), new Map([['once', 1]]));
});

/** Finds segments with content. */
async function findSegments(journal: string): Promise<string[]> {
  const files = (await readdir(journal)).filter(name => name.endsWith('.journal')).sort();
  const sizes = await Promise.all(files.map(async name => (await stat(path.join(journal, name))).size));
  return files.filter((_, index) => sizes[index]! > 0);
}

type Damage = { title: string; message: string; harm(disk: HarmedDisk, at: number): Promise<void> };
type HarmedDisk = { file: string; unreadableAt: number };

const damages: Damage[] = [
  { title: 'with a changed byte', message: 'harmed', harm: changeByte },
  {
    title: 'with a changed byte in a large block',
    message: 'harmed'.padEnd(60_000, '!'),
    harm: changeByte,
  },
  {
    title: 'with a byte that the disk cannot read',
    message: 'harmed',
    async harm(disk, at) {
      disk.unreadableAt = at;
    },
  },
];

/** Changes the byte before the text, which holds its length. */
async function changeByte({ file }: HarmedDisk, at: number): Promise<void> {
  await using opened = await localDisk.open(file);
  await opened.write([Buffer.from([0x7f])], at - 1);
}

function harmDisk(harmed: HarmedDisk): JournalDisk {
  return {
    ...localDisk,
    async create(file) {
      const created = await localDisk.create(file);
      return {
        ...created,
        async read(into, position) {
          const at = file === harmed.file ? harmed.unreadableAt : -1;
          if (position <= at && at < position + into.length) throw diskError('EIO');
          return created.read(into, position);
        },
      };
    },
  };
}

for (const { title, message, harm } of damages) {
  test(`a live segment ${title} loses only that group, is kept, and delays no other`, async () => {
    await using store = await openStore(directory);
    const journal = path.join(directory, 'second journal');
    const harmed = { file: '', unreadableAt: -1 };
    let isUp = false;
    const access = { ...store.engine, endpoint: () => (isUp ? store.engine.endpoint() : null) };
    const options = {
      directory: journal,
      shards: [{ url: 'embedded', access }],
      engineDirectory: path.join(directory, 'engine'),
    };
    await using intake = await openLogIntake({ disk: harmDisk(harmed), log: silentLog }, options);
    for (const text of ['before', message, 'after']) await storeMessages(intake, [text]);
    const [name = ''] = await findSegments(journal);
    harmed.file = path.join(journal, name);
    await harm(harmed, (await readFile(harmed.file)).indexOf('harmed'));
    isUp = true;
    await intake.flush(flushTimeMs);
    const kept = new Map(['before', 'after'].map(text => [text, 1]));
    assert.deepEqual(await countMessages(store.engine), kept);
    await intake[Symbol.asyncDispose](); // by then the segment is cleared away
    assert.equal((await intake.inspectJournal()).damaged, 1);
    assert.deepEqual(await readdir(path.join(journal, damagedFolder)), [name]);
  });
}

test('a subscriber hears of each acknowledged batch until it unsubscribes', async () => {
  await using store = await openStore(directory);
  let heard = 0;
  const unsubscribe = store.intake.subscribe(() => heard++);
  await storeMessages(store.intake, ['one', 'two']);
  await storeMessages(store.intake, ['three']);
  assert.equal(heard, 2);
  unsubscribe();
  await storeMessages(store.intake, ['unheard']);
  assert.equal(heard, 2);
});
