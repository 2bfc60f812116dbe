/**
 * Measures the cost of rules: sends entries at a steady rate, without rules and with hundreds of several kinds, in turns, and compares the processor
 * time of service and engine. Uses a running service over HTTP, and creates rules as users do.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type Bench, median, printTable } from './bench.ts';
import { token } from './benchRequests.ts';
import { makeRequests } from './logEntries.ts';
import { type BenchService, runLoadProcess, startBenchService } from './processes.ts';
import { readProcessorTimes } from './processTimes.ts';
import { makeRules, type Rule } from './ruleMaking.ts';

const entriesPerSecond = 50_000;
const entriesPerRequest = 100;
const connections = 16;
const seconds = 10;
const secondsToWarmUp = 3;
const rounds = Number(process.env.BENCH_ROUNDS ?? 3);
const settleIntervalMs = 2_000;
const settleTriesMax = 30;
const restingMicros = 150_000; // of processor time per interval
const restingIntervals = 3; // a merge may begin some seconds after the last
const targetShare = '10 %';

const words = 'player joined server round match started score weapon damage zone vehicle spawn'.split(' ');
const wordOf = (number: number) => words[number % words.length]!;

type Mix = { title: string; rules: number; make(number: number): Rule };

const kinds: readonly ((number: number) => Rule)[] = [
  number => ({ query: `level:error "out of memory ${number}"` }),
  number => ({ query: `resource:server-${number % 40} ping:>${100 + (number % 8) * 25}` }),
  number => ({ query: `playerId:${100_000 + number * 17}` }),
  number => ({ query: `level:(warn,error) resource:server-${number % 40}` }),
  number => ({ query: `level:error "${wordOf(number)} ${wordOf(number * 7 + 3)}"` }),
  number => ({ query: `crashed${number} OR "panic ${number}"` }),
  number => ({ query: `"#${number * 13} "` }),
  number => ({ query: `level:error "zone ${wordOf(number)}"`, by: 'resource' }),
];
const absent = (number: number): Rule => ({ query: `level:error "cannot reach ${number}"` });
const mixed = (number: number): Rule => kinds[number % kinds.length]!(number);
const often = (number: number): Rule => ({ query: `"${wordOf(number)} ${wordOf(Math.floor(number / 12))}"` });

const mixes: readonly Mix[] = [
  { title: 'none', rules: 0, make: absent },
  { title: 'what does not occur', rules: 100, make: absent },
  { title: 'what does not occur', rules: 500, make: absent },
  { title: 'eight kinds', rules: 100, make: mixed },
  { title: 'eight kinds', rules: 500, make: mixed },
  { title: 'words that occur often', rules: 500, make: often },
];

type Measured = { perSecond: number; service: number; engine: number };

export const rules: Bench = {
  name: 'rules',
  about: `processor time an entry at ${entriesPerSecond} entries/s beside rules; medians of ${rounds} rounds of ${seconds} s in turns`,
  run: async () => {
    const measured = new Map<Mix, Measured[]>(mixes.map(mix => [mix, []]));
    for (let round = 0; round < rounds; round++)
      for (const [mix, results] of measured) results.push(await measureMix(mix));
    const middle = (results: readonly Measured[], of: (one: Measured) => number) => median(results.map(of));
    const together = ({ service: ours, engine }: Measured) => ours + engine;
    const [without = []] = measured.values();
    const rows = Array.from(measured, ([{ title, rules: count }, results]) => {
      const more = middle(results, together) / middle(without, together) - 1;
      return [
        title,
        String(count),
        middle(results, one => one.perSecond).toFixed(0),
        middle(results, one => one.service).toFixed(2),
        middle(results, one => one.engine).toFixed(2),
        ...(results === without ? ['', ''] : [`${(more * 100).toFixed(0)} %`, targetShare]),
      ];
    });
    printTable(['rules about', 'rules', 'entries/s', 'µs/entry service', 'engine', 'more', 'target'], rows);
  },
};

/** Uses a separate table; otherwise, some rows would pay for merging others' entries. */
async function measureMix(mix: Mix): Promise<Measured> {
  await using service = await startBenchService({ TAPEDECK_LOGS_TOKEN: token }, null);
  await makeRules(service, service.dataDir, mix);
  await measure(service, secondsToWarmUp);
  return await measure(service, seconds);
}

async function measure(service: BenchService, seconds: number): Promise<Measured> {
  const requests = makeRequests(entriesPerRequest, token);
  const load = { port: service.port, connections, seconds, requests };
  const before = await readProcessorTimes(service.pid);
  const result = await runLoadProcess(
    { ...load, requestsPerSecondMax: entriesPerSecond / entriesPerRequest },
    null,
  );
  const after = await settle(service);
  const taken = (result.statuses['200'] ?? 0) * entriesPerRequest;
  if (Object.keys(result.statuses).length !== 1)
    throw new Error(`Answers: ${JSON.stringify(result.statuses)}`);
  return {
    perSecond: result.requestsPerSecond * entriesPerRequest,
    service: (after.service - before.service) / taken,
    engine: (after.engine - before.engine) / taken,
  };
}

/** Returns processor times once the engine is idle: merges after the load are part of the cost of entries. */
async function settle({ pid }: BenchService): Promise<Awaited<ReturnType<typeof readProcessorTimes>>> {
  let before = await readProcessorTimes(pid);
  for (let tries = 0, atRest = 0; tries < settleTriesMax && atRest < restingIntervals; tries++) {
    await wait(settleIntervalMs);
    const now = await readProcessorTimes(pid);
    atRest = now.engine - before.engine < restingMicros ? atRest + 1 : 0;
    before = now;
  }
  return before;
}
