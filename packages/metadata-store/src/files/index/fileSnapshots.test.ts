/** Tests that indexes kept on disk give the database's results, and that unreliable ones are rebuilt. */
import assert from 'node:assert/strict';
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it, test } from 'node:test';
import type { FileRecords } from '@tapedeck/domain/ports/files';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import {
  type BlockRow,
  buildBlock,
  prepareOrders,
  readBlock,
  removeFromBlock,
  writeBlock,
} from '@tapedeck/file-index';
import { parseFileQuery } from '@tapedeck/log-query-language';
import { openMetadataStore } from '../../store.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'tapedeck-snapshots-'));
after(() => rmSync(directory, { recursive: true, force: true }));

const files = 12_000;

class Library {
  readonly #directory = mkdtempSync(path.join(directory, 'a-'));
  readonly file = path.join(this.#directory, 'metadata.db');
  readonly indexes = path.join(this.#directory, 'indexes');

  open(): Promise<MetadataStore> {
    return openMetadataStore({ kind: 'sqlite', file: this.file }, { fileIndexes: this.indexes });
  }

  async fill(): Promise<void> {
    await (await this.open())[Symbol.asyncDispose]();
    this.run(`INSERT INTO files (id, project, position, key, path, filename, filename_folded, type, mime_type, size_bytes, sha256,
        metadata, retention_exempt, created_at)
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${files})
      SELECT 'id' || n, 'one', n, 'key' || n || '.png', '', 'shot.png', 'shot.png', 'image', 'image/png', n % 97, '',
        '{"player":' || (n % 50) || '}', 0, 1700000000000 + n FROM numbers;
      INSERT INTO file_usage (project, last_position, files, bytes) VALUES ('one', ${files}, ${files}, 0)`);
  }

  /** Runs a statement without the store's knowledge. */
  run(statement: string): void {
    using database = new DatabaseSync(this.file, { timeout: 10_000, enableForeignKeyConstraints: false });
    database.exec(statement);
  }

  /** Copies the database into one file, with all earlier writes. */
  copyTo(target: string): void {
    this.run('PRAGMA wal_checkpoint(TRUNCATE)');
    copyFileSync(this.file, target);
  }

  get snapshots(): string[] {
    return readdirSync(this.indexes).map(name => path.join(this.indexes, name));
  }
}

const unaborted = new AbortController().signal;

/** Starts and stops the service. */
async function prepare(library: Library): Promise<void> {
  await using store = await library.open();
  await store.files.prepareSearches(unaborted);
}

async function count(records: FileRecords, text: string): Promise<number> {
  const { total } = await records.search('one', {
    filter: { type: null, path: '', terms: [], metadata: [] },
    times: null,
    query: parseFileQuery(text),
    sort: { by: 'size', order: 'desc' },
    limit: 3,
    from: { offset: 0 },
  });
  return total;
}

/** Counts files that still have the name they had when the snapshot was written. */
async function countUnchanged(library: Library): Promise<number> {
  await using store = await library.open();
  return await count(store.files, 'name:shot.png');
}

const rename = `UPDATE files SET filename = 'changed.png'`;

async function makeWritten(): Promise<Library> {
  const library = new Library();
  await library.fill();
  await prepare(library);
  return library;
}

test('a start reads the snapshot, then applies changes, additions and removals since', async () => {
  const library = await makeWritten();
  assert.equal(library.snapshots.length, 1);
  library.run(rename);
  assert.equal(await countUnchanged(library), files);
  library.run(`UPDATE files SET filename = 'noted.png' WHERE position = 5000;
    INSERT INTO file_changes (project, change, position) VALUES ('one', 1, 5000), ('one', 2, 7);
    DELETE FROM files WHERE position = 7;
    UPDATE file_usage SET last_change = 2, files = files - 1`);
  await using store = await library.open();
  assert.equal(await count(store.files, 'name:noted.png'), 1);
  assert.equal(await count(store.files, 'key:*key7.p*'), 0);
  assert.equal(await count(store.files, 'key:*KEY8.p*'), 1);
  assert.equal(await count(store.files, 'player:8'), files / 50);
});

test('remembers the matches of a query, and reports what changed or was removed since', async () => {
  const library = new Library();
  await library.fill();
  await using store = await library.open();
  const counts: number[] = [];
  for (const change of [
    'SELECT 1',
    `UPDATE files SET filename = 'noted.png' WHERE position IN (5000, 5001);
      INSERT INTO file_changes (project, change, position) VALUES ('one', 1, 5000), ('one', 2, 5001);
      UPDATE file_usage SET last_change = 2`,
    `DELETE FROM files WHERE position = 5000;
      INSERT INTO file_changes (project, change, position) VALUES ('one', 3, 5000);
      UPDATE file_usage SET last_change = 3, files = files - 1`,
  ]) {
    library.run(change);
    for (const text of ['name:noted.png', 'name:noted.png', 'player:*', '-name:noted.png'])
      counts.push(await count(store.files, text));
  }
  assert.deepEqual(counts, [0, 0, files, files, 2, 2, files, files - 2, 1, 1, files - 1, files - 2]);
});

describe('rebuilds an index', () => {
  const spoil: Record<string, (library: Library) => void> = {
    'without a snapshot': ({ snapshots }) => {
      for (const file of snapshots) rmSync(file);
    },
    'when a byte of its head differs': ({ snapshots }) => flip(snapshots[0] ?? '', 12),
    'when a byte of a block differs': ({ snapshots }) => flip(snapshots[0] ?? '', 70_000),
    'when it is truncated': ({ snapshots }) => truncateSync(snapshots[0] ?? '', 50_000),
    'when it is empty': ({ snapshots }) => truncateSync(snapshots[0] ?? '', 0),
    'when the database does not know its token': library =>
      library.run(`DELETE FROM installation_facts WHERE name LIKE 'file index %'`),
  };
  for (const [when, work] of Object.entries(spoil))
    it(when, async () => {
      const library = await makeWritten();
      work(library);
      library.run(rename);
      assert.equal(await countUnchanged(library), 0);
    });

  it('when the database was restored to an earlier time and changed since', async () => {
    const library = new Library();
    await library.fill();
    const earlier = path.join(path.dirname(library.file), 'earlier.db');
    library.copyTo(earlier);
    library.run(`UPDATE files SET filename = 'lost.png' WHERE position = 9;
      INSERT INTO file_changes (project, change, position) VALUES ('one', 1, 9);
      UPDATE file_usage SET last_change = 1`);
    await prepare(library);
    library.run('PRAGMA wal_checkpoint(TRUNCATE)');
    copyFileSync(earlier, library.file);
    for (const end of ['-wal', '-shm']) rmSync(`${library.file}${end}`, { force: true });
    library.run(`UPDATE files SET filename = 'new.png' WHERE position = 10;
      INSERT INTO file_changes (project, change, position) VALUES ('one', 1, 10);
      UPDATE file_usage SET last_change = 1`);
    await using store = await library.open();
    assert.deepEqual(
      await Promise.all(['name:lost.png', 'name:new.png'].map(text => count(store.files, text))),
      [0, 1],
    );
  });
});

function flip(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(file, bytes);
}

test('removes the snapshots of deleted projects', async () => {
  const library = await makeWritten();
  library.run('DELETE FROM file_usage');
  await prepare(library);
  assert.deepEqual(library.snapshots, []);
});

test('reads a block as it was written, with removals and row orders', () => {
  const rows = Array.from(
    { length: 300 },
    (_, index): BlockRow => ({
      position: 2048 + index * 3,
      id: `Id${index}`,
      key: `Ünder/${index}.PNG`,
      filename: `Größe ${index}`,
      path: index % 3 === 0 ? '' : 'a/b',
      type: 'image',
      mime_type: 'image/png',
      size_bytes: index * 1e9,
      width: index,
      height: null,
      duration_ms: index % 2 === 0 ? null : index,
      retention_exempt: 0,
      metadata: JSON.stringify({ player: { id: index % 7 } }),
      created_at: index,
      listed_at: null,
    }),
  );
  const block = removeFromBlock(buildBlock(2, rows), [2048, 2051]);
  prepareOrders(block.columns);
  const bytes = writeBlock(block);
  const read = readBlock(bytes);
  assert.deepEqual(writeBlock(read), bytes);
  assert.equal(read.count, 298);
  assert.equal(read.columns.names.plain(299), 'Größe 299');
});
