/**
 * Opens what a moderator opens about players, at the entries of `subjects`: the page of a player, what happened around them and the list,
 * over HTTP. Each turn asks about another player, so that no answer is remembered. `-- --data=DIRECTORY` keeps the entries.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { token } from './asking.ts';
import { type Bench, median, printTable } from './bench.ts';
import { untilComplete } from './completing.ts';
import { type BenchService, startBenchService } from './processes.ts';
import { readProcessorTimes, readResidentMegabytes } from './processTimes.ts';
import { openSession, ownerSettings, signIn } from './session.ts';
import { playersSpread, withPlayers } from './subjects.ts';

const turns = 11;
const players = { kind: 'player', idPaths: ['player.id', 'citizenid'], namePaths: ['player.name'] };
const project = '/projects/default';
const subjects = `${project}/subjects`;

export const subjectPages: Bench = {
  name: 'subject-pages',
  about: `milliseconds of pages about players at ${playersSpread.entries} entries, over HTTP`,
  run: keptDirectory => withPlayers(keptDirectory, measure),
};

async function measure(directory: string): Promise<void> {
  const settings = { ...ownerSettings, TAPEDECK_LOGS_TOKEN: token, TAPEDECK_DATA_DIR: directory };
  await using service = await startBenchService(settings, null);
  await untilComplete(service);
  const ask = await signIn(service);
  await ask(project, { subjects: [players] });
  const table: string[][] = [];
  const add = async (name: string, question: (turn: number) => string, times = turns) => {
    const taken: number[] = [];
    for (let turn = 0; turn < times; turn++) {
      const begunAt = performance.now();
      await ask(question(turn));
      taken.push(performance.now() - begunAt);
    }
    table.push([name, median(taken).toFixed(0), Math.max(...taken).toFixed(0)]);
    console.log(table.at(-1)?.join(', '));
  };
  await add('a player, just confirmed', turn => pageOf(playerOf(turn)));
  await untilSummed(service, directory);
  await add('a player', turn => pageOf(playerOf(turn + turns)));
  await add('their timeline', turn => timelineOf(playerOf(turn + 2 * turns)));
  await add('their timeline, one resource', turn =>
    timelineOf(playerOf(turn + 3 * turns), ' resource:voice'),
  );
  await add('the player in a tenth of entries, first', () => pageOf('everywhere'), 1);
  await add('the same again', () => pageOf('everywhere'));
  await add('the timeline of that one', () => timelineOf('everywhere'));
  await add('the list, first', () => listOf(''), 1);
  await add('the list again', () => listOf(''));
  await add('a part of a name', turn => listOf(`&q=${1000 + turn}`));
  printTable(['page', 'median ms', 'slowest ms'], table);
  console.log(`evidence of the player in a tenth of entries: ${await exportEvidence(service)}`);
}

const lookIntervalMs = 100;

/** How long it takes, how large it is, and by how much the service and its engine grow meanwhile. */
async function exportEvidence(service: BenchService): Promise<string> {
  const { url, headers } = await openSession(service);
  const readSize = async () => {
    const { service: own, engine } = await readResidentMegabytes(service.pid);
    return { own, engine };
  };
  const before = await readSize();
  const most = { ...before };
  const timer = setInterval(async () => {
    const now = await readSize();
    most.own = Math.max(most.own, now.own);
    most.engine = Math.max(most.engine, now.engine);
  }, lookIntervalMs);
  const begunAt = performance.now();
  const body = JSON.stringify({ query: askAbout('everywhere'), kind: 'entry' });
  const response = await fetch(`${url}${project}/evidence`, { method: 'POST', headers, body });
  let bytes = 0;
  for await (const chunk of response.body ?? []) bytes += chunk.byteLength;
  clearInterval(timer);
  const seconds = (performance.now() - begunAt) / 1000;
  const grown = `${(most.own - before.own).toFixed(0)} and ${(most.engine - before.engine).toFixed(0)} MB`;
  return `${seconds.toFixed(0)} s, ${(bytes / 1e6).toFixed(0)} MB; service and engine grew by ${grown}`;
}

function playerOf(turn: number): string {
  return String(100_000 + 991 * (turn + 1));
}

/** The address of a page, as the dashboard requests it. */
function pageOf(id: string): string {
  return `${subjects}/player/${id}?joinIds=true`;
}

/** The address of a timeline, as the dashboard requests it. */
function timelineOf(id: string, narrowed = ''): string {
  return `${project}/timeline?limit=50&query=${encodeURIComponent(`${askAbout(id)}${narrowed}`)}`;
}

function askAbout(id: string): string {
  return `(${players.idPaths.map(name => `${name}:"${id}"`).join(' OR ')})`;
}

function listOf(rest: string): string {
  return `${subjects}?kind=player&joinIds=true&limit=50${rest}`;
}

/** Until there are sums, and nothing works on more. */
async function untilSummed(service: BenchService, directory: string): Promise<void> {
  const kept = path.join(directory, 'subject-sums');
  while (!(await holdsAny(kept))) await wait(1000);
  for (let worked = Infinity, before = await countWork(service); worked > 100_000; ) {
    await wait(5000);
    const after = await countWork(service);
    worked = after - before;
    before = after;
  }
}

async function holdsAny(directory: string): Promise<boolean> {
  try {
    return (await readdir(directory)).length > 0;
  } catch {
    return false; // not there yet
  }
}

/** Microseconds of the processor. */
async function countWork({ pid }: BenchService): Promise<number> {
  const { service, engine } = await readProcessorTimes(pid);
  return service + engine;
}
