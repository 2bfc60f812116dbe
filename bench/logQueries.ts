/** Times queries over HTTP among twenty million log entries. Making the entries takes minutes; `-- --data=DIRECTORY` keeps them for the next run. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { untilComplete } from './backfillWait.ts';
import { type Bench, median, printTable } from './bench.ts';
import { ask, token } from './benchRequests.ts';
import { type DiskUse, fillLogStore, type Spread } from './fillLogStore.ts';
import { formatInstant, listQuestions } from './logQueryRequests.ts';
import { formatRows } from './logRows.ts';
import { type BenchService, startBenchService } from './processes.ts';

const entries = 20_000_000;
const repetitions = 11;
const tenDaysMicros = 864_000_000_000;
const spread: Spread = {
  entries,
  startMicros: Date.UTC(2026, 9, 1) * 1000,
  intervalMicros: Math.floor(tenDaysMicros / entries),
};

export const logQueries: Bench = {
  name: 'log-queries',
  about: 'milliseconds of each kind of question at 20,000,000 entries, over HTTP',
  run: async keptDirectory => {
    const directory = keptDirectory ?? (await mkdtemp(path.join(tmpdir(), 'tapedeck-bench-')));
    try {
      describeDisk(await fillLogStore(path.join(directory, 'logs'), spread, formatRows));
      await askAll(directory);
    } finally {
      if (keptDirectory === null) await rm(directory, { recursive: true });
    }
  },
};

function describeDisk({ parts, storedBytes, sentBytes, answeredBytes }: DiskUse): void {
  const share = (bytes: number) => `1/${(bytes / storedBytes).toFixed(1)}`;
  printTable(
    ['parts', 'bytes an entry', 'of the JSON as sent', 'as answered', 'target'],
    [[String(parts), storedBytes.toFixed(1), share(sentBytes), share(answeredBytes), '1/8']],
  );
}

async function askAll(directory: string): Promise<void> {
  const environment = { TAPEDECK_LOGS_TOKEN: token, TAPEDECK_DATA_DIR: directory };
  await using service = await startBenchService(environment, null);
  await untilComplete(service);
  const rows: string[][] = [];
  for (const { name, targetMs, path: question } of listQuestions(spread)) {
    const times: number[] = [];
    const again: number[] = [];
    for (let turn = 0; turn < repetitions; turn++)
      times.push((await timeQuestion(service, question(turn))).tookMs);
    for (let turn = 0; turn < repetitions; turn++)
      again.push((await timeQuestion(service, question(0))).tookMs);
    rows.push(describeTimes(name, targetMs, { times, again }));
  }
  rows.push(describeTimes('traceId', 15, { times: await askForTraceIds(service), again: null }));
  printTable(['question', 'first', 'median', 'slowest', 'the same again', 'target', ''], rows);
}

/** A different entry each time. */
async function askForTraceIds(service: BenchService): Promise<number[]> {
  const times: number[] = [];
  for (let turn = 0; turn < repetitions; turn++) {
    const number = Math.floor((entries * (turn + 0.5)) / repetitions);
    const from = formatInstant(spread.startMicros + number * spread.intervalMicros);
    const { answer } = await timeQuestion(service, `?order=asc&limit=1&from=${from}`);
    // Per the contract.
    const { data } = answer as { data: { traceId: string }[] };
    times.push((await timeQuestion(service, `/${data[0]?.traceId}`)).tookMs);
  }
  return times;
}

type Answered = { answer: unknown; tookMs: number };

async function timeQuestion(service: BenchService, question: string): Promise<Answered> {
  const startedAt = performance.now();
  const response = await ask(service, `/logs${question}`);
  const answer: unknown = await response.json();
  if (response.status !== 200) throw new Error(`${question}: ${JSON.stringify(answer)}`);
  return { answer, tookMs: performance.now() - startedAt };
}

type Times = { times: readonly number[]; again: readonly number[] | null };

function describeTimes(name: string, targetMs: number | null, { times, again }: Times): string[] {
  const middle = median(times);
  const cells = [times[0] ?? 0, middle, Math.max(...times)].map(time => time.toFixed(1));
  const isMissed = targetMs !== null && middle > targetMs;
  cells.push(again === null ? '' : median(again).toFixed(1));
  return [name, ...cells, targetMs === null ? '' : String(targetMs), isMissed ? 'missed' : ''];
}
