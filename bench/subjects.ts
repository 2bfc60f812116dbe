/**
 * Times the log store's queries for pages of players: one of many players, one in a tenth of all entries, and the list of all. First from entries
 * alone, then with the sums that a service keeps for confirmed kinds. Uses generated entries, `BENCH_ENTRIES` of `BENCH_PLAYERS` players, at most
 * 40,000; `-- --data=DIRECTORY` keeps them for the next run.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type LogQueries, openLogStore } from '@tapedeck/log-store';
import { silentLog } from '@tapedeck/log-store/testing';
import { type Bench, median, printTable } from './bench.ts';
import { fillLogStore, type RowRange } from './fillLogStore.ts';
import { formatRows } from './logRows.ts';
import { readProcessorTimes } from './processTimes.ts';

const entries = Number(process.env.BENCH_ENTRIES ?? 2_000_000);
const players = Number(process.env.BENCH_PLAYERS ?? 40_000);
const repetitions = 7;
const tenDaysMicros = 864_000_000_000;
export const playersSpread = {
  entries,
  startMicros: Date.UTC(2026, 9, 1) * 1000,
  intervalMicros: Math.floor(tenDaysMicros / entries),
};
const paths = { idPaths: ['player.id', 'citizenid'], namePaths: ['player.name'] };

export const subjects: Bench = {
  name: 'subjects',
  about: `milliseconds of questions about players at ${entries} entries`,
  run: keptDirectory =>
    withPlayers(keptDirectory, async directory => {
      const rows = [
        ...(await ask(directory, askAll)),
        ...(await ask(directory, askList)),
        ...(await ask(directory, askSums)),
        ...(await ask(directory, askSumsAgain)),
      ];
      printTable(['question', 'median ms', 'slowest ms', 'median processor ms', 'about'], rows);
    }),
};

/** The directory holds nothing stored about players. */
export async function withPlayers(
  keptDirectory: string | null,
  measure: (directory: string) => Promise<void>,
): Promise<void> {
  const directory = keptDirectory ?? (await mkdtemp(path.join(tmpdir(), 'tapedeck-bench-')));
  try {
    await fillLogStore(path.join(directory, 'logs'), playersSpread, formatPlayers);
    for (const kept of ['subject-lists', 'subject-sums'])
      await rm(path.join(directory, kept), { recursive: true, force: true });
    await measure(directory);
  } finally {
    if (keptDirectory === null) await rm(directory, { recursive: true });
  }
}

/** Includes names of players, one of whom is in every tenth entry. */
function formatPlayers(range: RowRange): string {
  return `WITH toString(100000 + toUInt32(metadata['player.id']) % ${players}) AS id
    SELECT * REPLACE (mapUpdate(metadata, if(identity % 10 = 0,
      map('player.id', 'everywhere', 'player.name', concat('Name ', toString(identity % 3))),
      map('player.id', id, 'player.name', concat('Player ', id)))) AS metadata)
    FROM (${formatRows(range)})`;
}

type Row = [name: string, medianMs: string, slowestMs: string, processorMs: string, told: string];
type Asking = { queries: LogQueries; add: Add };
type Add = (name: string, ask: (turn: number) => Promise<string>, times?: number) => Promise<void>;

/** Measures a newly opened store. */
async function ask(directory: string, askThem: (asking: Asking) => Promise<void>): Promise<Row[]> {
  await using store = await openLogStore(
    { kind: 'embedded', directory: path.join(directory, 'logs') },
    { log: silentLog, dataDir: directory },
  );
  const rows: Row[] = [];
  const add: Add = async (name, question, times = repetitions) => {
    const taken: number[] = [];
    const worked: number[] = [];
    let told = '';
    for (let turn = 0; turn < times; turn++) {
      const before = await readProcessorTimes(process.pid);
      const begunAt = performance.now();
      told = await question(turn);
      taken.push(performance.now() - begunAt);
      const after = await readProcessorTimes(process.pid);
      worked.push((after.service + after.engine - before.service - before.engine) / 1000);
    }
    const figures = [median(taken), Math.max(...taken), median(worked)].map(ms => ms.toFixed(0));
    rows.push([name, figures[0] ?? '', figures[1] ?? '', figures[2] ?? '', told]);
    console.log(`${name}: ${figures.join(', ')} ms, ${told}`);
  };
  await askThem({ queries: store.queries, add });
  return rows;
}

const signal = new AbortController().signal;

async function findPlayer(queries: LogQueries, id: string): Promise<string> {
  const found = await queries.findProfile('default', { paths, id, valuesMax: 1000 }, signal);
  return `${found?.entries ?? 0} entries`;
}

async function askAll({ queries, add }: Asking): Promise<void> {
  await add('a player, each time another', turn => findPlayer(queries, String(100_000 + 997 * (turn + 1))));
  await add('the same player again', () => findPlayer(queries, '100997'));
  await add('the player in a tenth of entries, first', () => findPlayer(queries, 'everywhere'), 1);
  await add('the same again', () => findPlayer(queries, 'everywhere'));
  await add('the list of all players, first', () => countListed(queries), 1);
  await add('the same again', () => countListed(queries));
}

async function askList({ queries, add }: Asking): Promise<void> {
  await add('the list, first after another start', () => countListed(queries), 1);
  await add('the same again', () => countListed(queries));
}

async function askSums({ queries, add }: Asking): Promise<void> {
  await add('sums are made', () => keepSums(queries), 1);
  await add('sums are kept, nothing new', () => keepSums(queries));
  await askSummed({ queries, add });
}

async function askSumsAgain({ queries, add }: Asking): Promise<void> {
  await add('sums are verified after a start', () => keepSums(queries), 1);
  await askSummed({ queries, add });
}

async function keepSums(queries: LogQueries): Promise<string> {
  await queries.keepSums([{ project: 'default', paths }], signal);
  return 'a round';
}

async function askSummed({ queries, add }: Asking): Promise<void> {
  await add('from sums: a player, each time another', turn =>
    findPlayer(queries, String(100_000 + 991 * (turn + 1))),
  );
  await add('from sums: the player in a tenth of entries, first', () => findPlayer(queries, 'everywhere'), 1);
  await add('the same again', () => findPlayer(queries, 'everywhere'));
  await add('from sums: the list of all players, first', () => countListed(queries), 1);
}

async function countListed(queries: LogQueries): Promise<string> {
  const [list] = await queries.listSubjects('default', paths, signal);
  return `${list?.size ?? 0} players`;
}
