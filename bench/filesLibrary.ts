/**
 * Queries a library of a million files over HTTP, on SQLite and, if Debian's package is installed, on PostgreSQL. Compares every answer with counts
 * and pages computed without the service.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { hasPostgres, startPostgres } from '../scripts/engines/postgres.ts';
import { type Bench, median, printTable } from './bench.ts';
import { ask, token } from './benchRequests.ts';
import {
  fillPostgres,
  fillSqlite,
  idOf,
  libraryFiles,
  librarySecret,
  nameOf,
  pathOf,
  sizeOf,
} from './libraryFiles.ts';
import { type ExpectedPage, libraryQuestions, workOut, workOutFolders } from './libraryQueries.ts';
import { type BenchService, startBenchService } from './processes.ts';

const rounds = 11;
const matchedFiles = 1000; // the limit of one request
const pollMs = 500; // how often to check whether an index was written
const [warmMs, coldMs] = [50, 200];

/** A request, and the check of its answer. */
type Asked = { name: string; url: string; json?: object; check(answer: unknown): string };

export const filesLibrary: Bench = {
  name: 'files-library',
  about: `questions to a million files: targets ${warmMs} ms, and ${coldMs} ms when first asked`,
  run: async keptDirectory => {
    const asked = [...libraryQuestions.map(makeListed), ...['', 'server1'].map(makeFolders), makeMatches()];
    const rows = await measureSqlite(asked, keptDirectory);
    if (hasPostgres()) await measurePostgres(asked, rows);
    else console.log('PostgreSQL is not installed here, and was not measured.');
    const head = ['question', 'total', 'SQLite first', 'SQLite', 'PostgreSQL first', 'PostgreSQL'];
    printTable(
      head,
      [...rows].map(([name, cells]) => [name, ...cells]),
    );
  },
};

function makeListed(question: (typeof libraryQuestions)[number]): Asked {
  const { parameters } = question;
  const expected = workOut(question);
  const name = Object.entries(parameters).map(([key, value]) =>
    key === 'query' ? value : `${key}=${value}`,
  );
  return {
    name: name.join(' & ') || 'all',
    url: `/file?${new URLSearchParams({ limit: '50', ...parameters })}`,
    check: answer => checkPage(answer, expected),
  };
}

function checkPage(answer: unknown, expected: ExpectedPage): string {
  // A page, per the contract.
  const { data, pagination } = answer as { data: { id: string }[]; pagination: { total: number } };
  assert.equal(pagination.total, expected.total);
  assert.deepEqual(
    data.map(({ id }) => id),
    expected.ids,
  );
  return String(expected.total);
}

function makeFolders(below: string): Asked {
  const expected = workOutFolders(below);
  return {
    name: `folders in ${below || 'the root'}`,
    url: `/file/folders?limit=100&path=${below}`,
    check: answer => {
      // Folders, per the contract.
      assert.deepEqual((answer as { data: unknown }).data, expected);
      return String(expected.length);
    },
  };
}

/** The dashboard sends this before it uploads a folder: half of the files exist. */
function makeMatches(): Asked {
  const numbers = Array.from(
    { length: matchedFiles },
    (_, index) => 1 + index * (libraryFiles / matchedFiles),
  );
  const files = numbers.map((n, index) => ({
    filename: nameOf(n),
    path: pathOf(n),
    size: sizeOf(n) + (index % 2),
  }));
  const expected = numbers.flatMap((n, index) => (index % 2 === 0 ? [idOf(n)] : []));
  return {
    name: `matches of ${matchedFiles} files`,
    url: '/file/matches',
    json: { files },
    check: answer => {
      // Matches, per the contract.
      const { data } = answer as { data: { id: string }[] };
      assert.deepEqual(
        data.map(({ id }) => id),
        expected,
      );
      return String(expected.length);
    },
  };
}

async function measureSqlite(
  asked: readonly Asked[],
  keptDirectory: string | null,
): Promise<Map<string, string[]>> {
  const directory = keptDirectory ?? (await mkdtemp(path.join(tmpdir(), 'tapedeck-library-')));
  try {
    const settings = { TAPEDECK_MEDIA_TOKEN: token, TAPEDECK_DATA_DIR: directory };
    const file = path.join(directory, 'tapedeck.db');
    if (!existsSync(file)) {
      await (await startBenchService(settings, null))[Symbol.asyncDispose]();
      fillSqlite(file);
    }
    return await measure('SQLite', settings, asked);
  } finally {
    if (keptDirectory === null) await rm(directory, { recursive: true, force: true });
  }
}

async function measurePostgres(asked: readonly Asked[], rows: Map<string, string[]>): Promise<void> {
  await using postgres = await startPostgres();
  const directory = await mkdtemp(path.join(tmpdir(), 'tapedeck-library-'));
  const url = postgres.urlOf('postgres');
  const settings = {
    TAPEDECK_MEDIA_TOKEN: token,
    TAPEDECK_SECRET: librarySecret,
    TAPEDECK_DATABASE_URL: url,
    TAPEDECK_DATA_DIR: directory,
  };
  await (await startBenchService(settings, null))[Symbol.asyncDispose]();
  await fillPostgres(url);
  for (const [name, cells] of await measure('PostgreSQL', settings, asked))
    rows.get(name)?.push(...cells.slice(1));
  await rm(directory, { recursive: true, force: true });
}

type Settings = Readonly<Record<string, string>> & { TAPEDECK_DATA_DIR: string };

/** Measures a service that has just started, with its index on disk. */
async function measure(
  database: string,
  settings: Settings,
  asked: readonly Asked[],
): Promise<Map<string, string[]>> {
  const indexes = path.join(settings.TAPEDECK_DATA_DIR, 'file-indexes');
  await rm(indexes, { recursive: true, force: true });
  const built = await startTimed(`${database}, its index being built`, settings);
  while (!existsSync(indexes) || readdirSync(indexes).every(name => name.endsWith('.new')))
    await setTimeout(pollMs);
  await built[Symbol.asyncDispose]();
  await using service = await startTimed(`${database}, its index on disk`, settings);
  const rows = new Map<string, string[]>();
  for (const { name, url, json, check } of asked) {
    const cold = await time(service, url, json);
    const total = check(cold.answer);
    console.error(`${database}: ${name}: ${cold.ms.toFixed(1)} ms`);
    const times: number[] = [];
    for (let round = 0; round < rounds; round++) times.push((await time(service, url, json)).ms);
    rows.set(name, [total, cold.ms.toFixed(1), median(times).toFixed(1)]);
  }
  return rows;
}

async function startTimed(name: string, settings: Settings): Promise<BenchService> {
  const startedAt = performance.now();
  const service = await startBenchService(settings, null);
  const readyAt = performance.now();
  const first = await time(service, '/file?query=name:*first*');
  const [readyMs, firstMs] = [readyAt - startedAt, first.ms].map(Math.round);
  console.log(`${name}: ready after ${readyMs} ms, the very first question took ${firstMs} ms.\n`);
  return service;
}

async function time(
  service: BenchService,
  url: string,
  json?: object,
): Promise<{ ms: number; answer: unknown }> {
  const startedAt = performance.now();
  const response = await ask(service, url, json);
  const answer: unknown = await response.json();
  const ms = performance.now() - startedAt;
  assert.equal(response.status, 200, JSON.stringify(answer));
  return { ms, answer };
}
