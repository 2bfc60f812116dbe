/** Tests that indexes of large projects are read ahead, within the shared memory limit, until the service stops. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it, test } from 'node:test';
import type { FileRecords } from '@tapedeck/domain/ports/files';
import { KeptIndexes, type ProjectIndex } from '@tapedeck/file-index';
import { parseFileQuery } from '@tapedeck/log-query-language';
import { openMetadataStore } from '../../store.ts';

const directory = mkdtempSync(path.join(tmpdir(), 'tapedeck-preparing-'));
after(() => rmSync(directory, { recursive: true, force: true }));

/** The files of each project, and how many its usage reports. */
const projects = {
  large: { files: 12_000, told: 12_000 },
  next: { files: 10_000, told: 10_000 },
  small: { files: 500, told: 9_999 },
  enormous: { files: 500, told: 2_000_000 },
};

async function openFilled(): Promise<AsyncDisposable & { files: FileRecords; change(): void }> {
  const file = path.join(mkdtempSync(path.join(directory, 'a-')), 'metadata.db');
  const open = () => openMetadataStore({ kind: 'sqlite', file });
  await (await open())[Symbol.asyncDispose]();
  const run = (statement: string) => {
    // The files' projects don't exist, and nothing asks for them.
    using database = new DatabaseSync(file, { timeout: 10_000, enableForeignKeyConstraints: false });
    database.exec(statement);
  };
  for (const [project, { files, told }] of Object.entries(projects))
    run(`INSERT INTO files (id, project, position, key, path, filename, filename_folded, type, mime_type, size_bytes, sha256,
        metadata, retention_exempt, created_at)
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${files})
      SELECT '${project}' || n, '${project}', n, '${project}' || n || '.png', '', 'shot.png', 'shot.png', 'image', 'image/png', n, '',
        '{}', 0, 1700000000000 + n FROM numbers;
      INSERT INTO file_usage (project, last_position, files, bytes) VALUES ('${project}', ${files}, ${told}, 0)`);
  const store = await open();
  return {
    files: store.files,
    // Without the store's knowledge: an index read earlier doesn't include it.
    change: () => run(`UPDATE files SET filename = 'changed.png'`),
    [Symbol.asyncDispose]: () => store[Symbol.asyncDispose](),
  };
}

/** Counts, by a query and by words, how many files of each project still have their old name. */
async function countUnchanged(files: FileRecords): Promise<Record<string, number>> {
  const query = parseFileQuery('name:shot.png');
  const counts: Record<string, number> = {};
  for (const project of Object.keys(projects)) {
    const filter = { type: null, path: '', terms: [], metadata: [] };
    const sort = { by: 'name', order: 'asc' } as const;
    const search = { filter, times: null, query, sort, limit: 10, from: { offset: 0 } };
    // First, because a search reads what isn't in memory.
    const words = { filter: { ...filter, terms: ['shot', 'png'] }, limit: 10, from: { offset: 0 } };
    const { total, files: listed } = await files.list(project, words);
    counts[project] = (await files.search(project, search)).total;
    assert.equal(total, counts[project]);
    assert.equal(listed.length, Math.min(total, words.limit));
  }
  return counts;
}

test('serves large projects from memory; reads small ones, and those that do not fit, on request', async () => {
  await using filled = await openFilled();
  await filled.files.prepareSearches(new AbortController().signal);
  filled.change();
  const unchanged = await countUnchanged(filled.files);
  assert.deepEqual(unchanged, { large: 12_000, next: 10_000, small: 0, enormous: 0 });
});

describe('stops reading', () => {
  for (const [when, isBefore] of [
    ['when the service stops before the read', true],
    ['when the service stops during the read', false],
  ] as const)
    it(when, async () => {
      await using filled = await openFilled();
      const stopping = new AbortController();
      if (isBefore) stopping.abort();
      const preparing = filled.files.prepareSearches(stopping.signal);
      stopping.abort();
      await assert.rejects(preparing, error => error === stopping.signal.reason);
      filled.change();
      const unchanged = await countUnchanged(filled.files);
      assert.deepEqual(unchanged, { large: 0, next: 0, small: 0, enormous: 0 });
    });
});

test('indexes stay within their memory limit: the least recently used are evicted first', () => {
  const kept = new KeptIndexes();
  const make = (bytes: number) =>
    // The code under test reads nothing else of an index.
    ({ blocks: new Map([[0, { columns: { bytes } }]]) }) as unknown as ProjectIndex;
  for (const project of ['first', 'second']) kept.keep(project, make(100_000_000));
  assert.deepEqual([kept.hasSpaceFor(270_000), kept.hasSpaceFor(275_000)], [true, false]);
  kept.keep('first', make(100_000_001));
  kept.keep('third', make(100_000_000));
  assert.deepEqual(
    ['first', 'second', 'third'].map(project => kept.find(project) !== null),
    [true, false, true],
  );
});
