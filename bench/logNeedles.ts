/**
 * Searches for needles among five million entries over HTTP, in texts of few words and in texts full of identifiers: milliseconds of wall and
 * processor time. `-- --data=DIRECTORY` keeps the entries for the next run.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { untilComplete } from './backfillWait.ts';
import { type Bench, median, printTable } from './bench.ts';
import { ask, token } from './benchRequests.ts';
import { fillLogStore, type Spread } from './fillLogStore.ts';
import { formatInstant } from './logQueryRequests.ts';
import { firstPlayer, formatNeedleRows, players, rareWords, type TextKind } from './needleRows.ts';
import { type BenchService, startBenchService } from './processes.ts';
import { readProcessorTimes } from './processTimes.ts';

const kinds: readonly TextKind[] = ['few words', 'identifiers'];
const dayMicros = 86_400_000_000;
const entries = 5_000_000;
const spread: Spread = {
  entries,
  startMicros: Date.UTC(2026, 9, 1) * 1000,
  intervalMicros: Math.floor(dayMicros / entries),
};
const turns = 11; // each turn searches for another needle, so that no answer comes from a cache

export const logNeedles: Bench = {
  name: 'log-needles',
  about: 'what questions for rare and absent things cost at 5,000,000 entries, over HTTP',
  run: async keptDirectory => {
    const directory = keptDirectory ?? (await mkdtemp(path.join(tmpdir(), 'tapedeck-bench-')));
    try {
      for (const kind of kinds) await measureKind(kind, path.join(directory, kind.replace(' ', '-')));
    } finally {
      if (keptDirectory === null) await rm(directory, { recursive: true });
    }
  },
};

async function measureKind(kind: TextKind, directory: string): Promise<void> {
  const { storedBytes, sentBytes } = await fillLogStore(
    path.join(directory, 'logs'),
    spread,
    formatNeedleRows(kind),
  );
  console.log(`\n${kind}: ${sentBytes.toFixed(0)} bytes sent, ${storedBytes.toFixed(1)} on disk\n`);
  await using service = await startBenchService(
    { TAPEDECK_LOGS_TOKEN: token, TAPEDECK_DATA_DIR: directory },
    null,
  );
  await untilComplete(service);
  const rows: string[][] = [];
  for (const [name, question] of Object.entries(await listNeedles(service))) {
    const [cold, ...warm] = await askInTurns(service, question);
    rows.push([
      name,
      cold!.tookMs.toFixed(1),
      cold!.processorMs.toFixed(0),
      median(warm.map(({ tookMs }) => tookMs)).toFixed(1),
      (warm.reduce((sum, { processorMs }) => sum + processorMs, 0) / warm.length).toFixed(1),
      cold!.found,
    ]);
  }
  printTable(['question', 'cold ms', 'its processor ms', 'warm ms', 'their processor ms', 'found'], rows);
}

type Question = (turn: number) => string;

async function listNeedles(service: BenchService): Promise<Record<string, Question>> {
  const samples = await Promise.all(Array.from({ length: turns }, (_, turn) => findSample(service, turn)));
  const page = (filter: string) => `?limit=50&${filter}`;
  const count = (filter: string) => `?limit=1&includeTotal=true&${filter}`;
  const rare: Question = turn => rareWords[turn % rareWords.length] ?? '';
  const absent: Question = turn => `nowhere${turn}xyzzy`;
  const letters: Question = turn => `qwertz${'uiop'.repeat(1 + turn)}`;
  const player: Question = turn => `${firstPlayer + ((turn * 7_919) % players)}`;
  return {
    'latest 50': turn => page(`to=${formatInstant(spread.startMicros + dayMicros - turn * 1_000_000)}`),
    'common word': turn =>
      page(`query=heartbeat&to=${formatInstant(spread.startMicros + dayMicros - turn * 1_000_000)}`),
    'rare word': turn => page(`query=${rare(turn)}`),
    'rare word in body': turn => page(`body=${rare(turn)}`),
    'count of a rare word': turn => count(`query=${rare(turn)}`),
    'count in body': turn => count(`body=${rare(turn)}`),
    'part of a rare word': turn => page(`query=${rare(turn).slice(1, -1)}`),
    'absent word': turn => page(`query=${absent(turn)}`),
    'absent in body': turn => page(`body=${absent(turn)}`),
    'absent letters': turn => page(`query=${letters(turn)}`),
    'absent number': turn => page(`query=${7_391_274_123 + turn}`),
    player: turn => page(`metadata.player.id=${player(turn)}`),
    'absent player': turn => page(`metadata.player.id=none${turn}`),
    'player as text': turn => page(`query=${player(turn)}`),
    'id in a field': turn => page(`metadata.requestId=${samples[turn]?.requestId}`),
    'id as text': turn => page(`query=${samples[turn]?.requestId}`),
    'absent id as text': turn => page(`query=${samples[turn]?.requestId.split('').reverse().join('')}`),
    'traceId as text': turn => page(`query=${samples[turn]?.traceId}`),
    traceId: turn => `/${samples[turn]?.traceId}`,
  };
}

async function findSample(
  service: BenchService,
  turn: number,
): Promise<{ traceId: string; requestId: string }> {
  const from = formatInstant(spread.startMicros + Math.floor(dayMicros * ((turn + 0.5) / turns)));
  const response = await ask(service, `/logs?order=asc&limit=1&from=${from}`);
  // Per the contract.
  const { data } = (await response.json()) as {
    data: { traceId: string; metadata: { requestId: string } }[];
  };
  return { traceId: data[0]!.traceId, requestId: data[0]!.metadata.requestId };
}

type Answered = { tookMs: number; processorMs: number; found: string };

async function askInTurns(service: BenchService, question: Question): Promise<Answered[]> {
  const answered: Answered[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const before = await readProcessorTimes(service.pid);
    const startedAt = performance.now();
    const response = await ask(service, `/logs${question(turn)}`);
    const answer: unknown = await response.json();
    const tookMs = performance.now() - startedAt;
    const after = await readProcessorTimes(service.pid);
    if (response.status !== 200) throw new Error(`${question(turn)}: ${JSON.stringify(answer)}`);
    const processorMs = (after.service + after.engine - before.service - before.engine) / 1000;
    answered.push({ tookMs, processorMs, found: describe(answer) });
  }
  return answered;
}

function describe(answer: unknown): string {
  // Per the contract: a page, with its total if requested, or one entry.
  const { data, pagination } = answer as { data: unknown; pagination?: { total?: number } };
  return Array.isArray(data) ? String(pagination?.total || data.length) : '1';
}
