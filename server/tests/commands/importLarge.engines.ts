/**
 * Imports 40,000 entries and 300 files from service to service with two kills: equal by count and hash. That takes hundreds of pages, several
 * batches and several deep offsets of entries, and three pages of files; more would repeat the same. IMPORT_ENTRIES and IMPORT_FILES set the
 * numbers.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { recordAddress } from '../../src/stores/dataDirectory/dataDirectory.ts';
import {
  askJson,
  beginImport,
  type ImportCounts,
  importTokens,
  listEntries,
  listFiles,
} from '../support/imports.ts';
import { makeDirectory } from '../support/service.ts';
import { startProcess } from '../support/tapedeck.ts';
import { makeSound } from '../support/uploading.ts';

const entriesCount = Number(process.env.IMPORT_ENTRIES ?? 40_000);
const filesCount = Number(process.env.IMPORT_FILES ?? 300);
const batch = 10_000;

const tokens = { TAPEDECK_MEDIA_TOKEN: importTokens.media, TAPEDECK_LOGS_TOKEN: importTokens.logs };
const opened = new AsyncDisposableStack();
after(() => opened.disposeAsync());
const source = await open();
const destination = await open();

type Arriving = { all: number; countArrived(): Promise<number> };
const lookMs = 500; // each poll makes the destination store what it holds

async function countListed(path: string, token: string): Promise<number> {
  const listed = await askJson<{ pagination: { total: number } }>(destination, path, token);
  return listed.pagination.total;
}

async function open() {
  const directory = opened.use(await makeDirectory());
  const service = opened.use(await startProcess({ ...tokens, TAPEDECK_DATA_DIR: directory.path }));
  await recordAddress(directory.path, service.url);
  return { url: service.url, dataDir: directory.path };
}

/** Kills the import twice, each after a number of arrivals, then lets it finish. */
async function importKilled(words: readonly string[], arriving: Arriving): Promise<ImportCounts> {
  const given = { TAPEDECK_DATA_DIR: destination.dataDir };
  for (const share of [0.2, 0.5]) {
    const begun = beginImport(words, given);
    while ((await arriving.countArrived()) < share * arriving.all) await wait(lookMs);
    begun.kill();
    const { printed } = await begun.ended;
    assert.equal(printed, '', 'it ended before it was killed');
  }
  const { printed, complained } = await beginImport(words, given).ended;
  assert.notEqual(printed, '', complained);
  return JSON.parse(printed.trimEnd().split('\n').at(-1) ?? '') as ImportCounts; // CONTRACT.md, 12.1
}

test('entries', async context => {
  for (let start = 0; start < entriesCount; start += batch) {
    const items = Array.from({ length: batch }, (_, index) => ({
      level: ['debug', 'info', 'warn', 'error'][index % 4],
      message: `entry ${start + index}`,
      resource: `resource ${index % 9}`,
      metadata: { number: start + index, player: { id: index % 50 } },
    }));
    const headers = { authorization: importTokens.logs, 'content-type': 'application/json' };
    const dataset = start % (4 * batch) === 0 ? 'chat' : 'default';
    const init = { method: 'POST', headers, body: JSON.stringify(items) };
    const response = await fetch(`${source.url}/api/v3/logs?dataset=${dataset}`, init);
    assert.equal(response.status, 200);
  }
  const words = ['logs', '--from', source.url, '--token', importTokens.logs];
  const startedAt = performance.now();
  const counts = await importKilled(words, {
    all: entriesCount,
    countArrived: async () => {
      const count = (dataset: string) =>
        countListed(`/api/v3/logs?dataset=${dataset}&limit=1&includeTotal=true`, importTokens.logs);
      return (await count('default')) + (await count('chat'));
    },
  });
  context.diagnostic(`entries: ${Math.round(performance.now() - startedAt)} ms, ${JSON.stringify(counts)}`);
  assert.deepEqual(
    [counts.found, counts.imported + counts.skipped, counts.failed],
    [entriesCount, entriesCount, 0],
  );
  for (const dataset of ['default', 'chat']) {
    const [left, right] = [await listEntries(source, dataset), await listEntries(destination, dataset)];
    const hash = (entries: typeof left) =>
      createHash('sha256')
        .update(
          JSON.stringify(
            entries.map(({ timestamp, level, resource, body, metadata, traceId }) => {
              const { 'imported.traceId': old = traceId, ...rest } = metadata;
              return [timestamp, level, resource, body, rest, old];
            }),
          ),
        )
        .digest('hex');
    assert.equal(right.length, left.length);
    assert.equal(hash(right), hash(left));
  }
});

test('files', async context => {
  for (let number = 0; number < filesCount; number++) {
    const form = new FormData();
    form.set('metadata', JSON.stringify({ number }));
    form.set('path', `folder ${number % 5}`);
    const bytes = new Uint8Array(
      Buffer.concat([makeSound({ tone: number % 256 }), Buffer.from(String(number))]),
    );
    form.set('file', new Blob([bytes]), `${number}.wav`);
    const init = { method: 'POST', headers: { authorization: importTokens.media }, body: form };
    assert.equal((await fetch(`${source.url}/api/v3/file`, init)).status, 200);
  }
  const words = ['files', '--from', source.url, '--token', importTokens.media];
  const startedAt = performance.now();
  const counts = await importKilled(words, {
    all: filesCount,
    countArrived: () => countListed('/api/v3/file?limit=1', importTokens.media),
  });
  context.diagnostic(`files: ${Math.round(performance.now() - startedAt)} ms, ${JSON.stringify(counts)}`);
  assert.deepEqual(
    [counts.found, counts.imported + counts.skipped, counts.failed],
    [filesCount, filesCount, 0],
  );
  const hash = async (files: Awaited<ReturnType<typeof listFiles>>) => {
    const sum = createHash('sha256');
    for (const { url, filename, path, metadata } of files) {
      const { imported: _, ...rest } = metadata;
      const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
      sum.update(JSON.stringify([filename, path, rest])).update(bytes);
    }
    return sum.digest('hex');
  };
  const [left, right] = [await listFiles(source), await listFiles(destination)];
  assert.equal(right.length, left.length);
  assert.equal(await hash(right), await hash(left));
});
