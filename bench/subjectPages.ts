/**
 * Opens a moderator's pages about players, at the entries of `subjects`: a player's page, the events around them and the list, over HTTP. Each turn
 * uses another player, so that no answer comes from a cache. `-- --data=DIRECTORY` keeps the entries.
 */
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { untilComplete } from './backfillWait.ts';
import { type Bench, median, printTable } from './bench.ts';
import { token } from './benchRequests.ts';
import { type BenchService, startBenchService } from './processes.ts';
import { readProcessorTimes, readResidentMegabytes } from './processTimes.ts';
import { openSession, ownerSettings, signIn } from './session.ts';
import { playersSpread, withPlayers } from './subjects.ts';

const turns = 11;
const workAtRestMax = 500_000; // microseconds in five seconds; computing sums takes ten times as much
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
  await ask(project, { subjects: [] }); // an earlier run may have confirmed the kind
  await ask(project, { subjects: [players] });
  const confirmedAt = performance.now();
  const summed = untilJoined(service).then(() => performance.now() - confirmedAt);
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
  await add('their timeline, just confirmed', turn => timelineOf(playerOf(turn + 10 * turns)));
  table.push(['sums and list are ready after', (await summed).toFixed(0), '']);
  console.log(table.at(-1)?.join(', '));
  await untilSummed(service, directory);
  await add('a player', turn => pageOf(playerOf(turn + turns)));
  await add('their timeline', turn => timelineOf(playerOf(turn + 2 * turns)));
  for (const [index, [name, narrowed, parameters]] of narrowings.entries())
    await add(`their timeline, ${name}`, turn =>
      timelineOf(playerOf(turn + (3 + index) * turns), narrowed, parameters),
    );
  await add('the timeline of three players', turn =>
    timelineOf([20, 21, 22].map(more => playerOf(turn + more * turns))),
  );
  await add('the timeline of nobody', turn => timelineOf(`nobody${turn}`));
  await add('the player in a tenth of entries, first', () => pageOf('everywhere'), 1);
  await add('the same again', () => pageOf('everywhere'));
  await add('the timeline of that one', () => timelineOf('everywhere'));
  await add('the list, first', () => listOf(''), 1);
  await add('the list again', () => listOf(''));
  await add('a part of a name', turn => listOf(`&q=${1000 + turn}`));
  printTable(['page', 'median ms', 'slowest ms'], table);
  console.log(`evidence of the player in a tenth of entries: ${await exportEvidence(service)}`);
}

const pollIntervalMs = 100;
const readyLookMs = 2000; // each check costs as much as a page

/** Returns the duration, the size, and the memory growth of the service and its engine. */
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
  }, pollIntervalMs);
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
  return String(100_000 + ((991 * (turn + 1)) % 40_000));
}

/** The address of a page, as the dashboard requests it. */
function pageOf(id: string): string {
  return `${subjects}/player/${id}?joinIds=true`;
}

/** Ways to narrow a timeline: by its query, and by other parameters. */
const narrowings: readonly [name: string, narrowed: string, parameters?: string][] = [
  ['one resource', ' resource:voice'],
  ['one resource, entries only', ' resource:voice', '&kind=entry'],
  ['one resource and level', ' resource:voice level:error'],
  ['one level', ' level:error'],
  ['one resource in two days', ' resource:voice', '&from=2026-10-04T00:00:00Z&to=2026-10-06T00:00:00Z'],
  ['a word', ' chat'],
];

/** The address of a timeline, as the dashboard requests it. */
function timelineOf(ids: string | readonly string[], narrowed = '', parameters = ''): string {
  const query = encodeURIComponent(`${askAbout(ids)}${narrowed}`);
  return `${project}/timeline?limit=50&query=${query}${parameters}`;
}

function askAbout(ids: string | readonly string[]): string {
  const values = [ids].flat().map(id => JSON.stringify(id));
  return `(${players.idPaths.map(name => `${name}:(${values.join(',')})`).join(' OR ')})`;
}

function listOf(rest: string): string {
  return `${subjects}?kind=player&joinIds=true&limit=50${rest}`;
}

/** Waits until the list of all players is in memory, which a page reports. */
async function untilJoined(service: BenchService): Promise<void> {
  const { url, headers } = await openSession(service);
  for (;;) {
    const response = await fetch(`${url}${pageOf(playerOf(0))}`, { headers });
    if (!(await response.text()).includes('"otherIdsPending":true')) return;
    await wait(readyLookMs);
  }
}

/** Waits until there are sums and no more work on them. */
async function untilSummed(service: BenchService, directory: string): Promise<void> {
  const kept = path.join(directory, 'subject-sums');
  while (!(await holdsAny(kept))) await wait(1000);
  for (let worked = Infinity, before = await countWork(service); worked > workAtRestMax; ) {
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
    return false; // not yet created
  }
}

/** Returns microseconds of processor time. */
async function countWork({ pid }: BenchService): Promise<number> {
  const { service, engine } = await readProcessorTimes(pid);
  return service + engine;
}
