/**
 * Times what pages of players ask of the log store: one player of many, one who is in a tenth of all entries, and the list of all. Made-up
 * entries; `-- --data=DIRECTORY` keeps them for the next run.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { LogFilter } from '@tapedeck/log-entries';
import { parseQuery } from '@tapedeck/log-query-language';
import { type LogQueries, openLogStore } from '@tapedeck/log-store';
import { silentLog } from '@tapedeck/log-store/testing';
import { type Bench, median, printTable } from './bench.ts';
import { fillLogStore, type RowRange } from './logFilling.ts';
import { formatRows } from './logRows.ts';

const entries = 2_000_000;
const repetitions = 7;
const tenDaysMicros = 864_000_000_000;
const spread = {
  entries,
  startMicros: Date.UTC(2026, 9, 1) * 1000,
  intervalMicros: Math.floor(tenDaysMicros / entries),
};
const paths = { idPaths: ['player.id', 'citizenid'], namePaths: ['player.name'] };

export const subjects: Bench = {
  name: 'subjects',
  about: `milliseconds of questions about players at ${entries} entries`,
  run: async keptDirectory => {
    const directory = keptDirectory ?? (await mkdtemp(path.join(tmpdir(), 'tapedeck-bench-')));
    try {
      await fillLogStore(path.join(directory, 'logs'), spread, formatPlayers);
      await rm(path.join(directory, 'subject-lists'), { recursive: true, force: true });
      const rows = [...(await ask(directory, askAll)), ...(await ask(directory, askList))];
      printTable(['question', 'median ms', 'slowest ms', 'about'], rows);
    } finally {
      if (keptDirectory === null) await rm(directory, { recursive: true });
    }
  },
};

/** With the names of players, of whom one is in every tenth entry. */
function formatPlayers(range: RowRange): string {
  return `SELECT * REPLACE (mapUpdate(metadata, if(identity % 10 = 0,
      map('player.id', 'everywhere', 'player.name', concat('Name ', toString(identity % 3))),
      map('player.name', concat('Player ', metadata['player.id'])))) AS metadata)
    FROM (${formatRows(range)})`;
}

type Row = [name: string, medianMs: string, slowestMs: string, told: string];
type Asking = { queries: LogQueries; add: Add };
type Add = (name: string, ask: (turn: number) => Promise<string>, times?: number) => Promise<void>;

/** Of a store that has just been opened. */
async function ask(directory: string, askThem: (asking: Asking) => Promise<void>): Promise<Row[]> {
  await using store = await openLogStore(
    { kind: 'embedded', directory: path.join(directory, 'logs') },
    { log: silentLog, dataDir: directory },
  );
  const rows: Row[] = [];
  const add: Add = async (name, question, times = repetitions) => {
    const taken: number[] = [];
    let told = '';
    for (let turn = 0; turn < times; turn++) {
      const begunAt = performance.now();
      told = await question(turn);
      taken.push(performance.now() - begunAt);
    }
    rows.push([name, median(taken).toFixed(0), Math.max(...taken).toFixed(0), told]);
  };
  await askThem({ queries: store.queries, add });
  return rows;
}

async function askAll({ queries, add }: Asking): Promise<void> {
  const signal = new AbortController().signal;
  const describe = (id: string) => {
    const condition = parseQuery(`player.id:${id} OR citizenid:${id}`);
    if (condition === null) throw new Error('The query is empty.');
    const filter: LogFilter = {
      project: 'default',
      datasets: null,
      fromMicros: null,
      toMicros: null,
      condition,
    };
    const asked = { paths: [...paths.idPaths, ...paths.namePaths], valuesMax: 1000 };
    return queries.findProfile(filter, asked, signal);
  };
  const entriesOf = async (id: string) => `${(await describe(id))?.entries ?? 0} entries`;
  await add('a player, each time another', turn => entriesOf(String(100_000 + 997 * (turn + 1))));
  await add('the same player again', () => entriesOf('100997'));
  await add('the player in a tenth of entries, first', () => entriesOf('everywhere'), 1);
  await add('the same again', () => entriesOf('everywhere'));
  await add('the list of all players, first', () => countListed(queries), 1);
  await add('the same again', () => countListed(queries));
}

async function askList({ queries, add }: Asking): Promise<void> {
  await add('the list, first after another start', () => countListed(queries), 1);
  await add('the same again', () => countListed(queries));
}

async function countListed(queries: LogQueries): Promise<string> {
  const [list] = await queries.listSubjects('default', paths, new AbortController().signal);
  return `${list?.size ?? 0} players`;
}
