/**
 * Sends the same entries through each protocol's route and through `/v3/logs`, in turns, and compares the rates. One service receives them all, so
 * that each is measured warm. Every acknowledged entry must be found.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type Bench, median, printTable } from './bench.ts';
import { ask, token } from './benchRequests.ts';
import { type BenchService, runLoadProcess, startBenchService } from './processes.ts';
import { readProcessorTimes } from './processTimes.ts';
import { makeProtocolRequests, protocolForms } from './protocolRequests.ts';

const entriesPerRequest = 1000;
const connections = 8;
const trialSeconds = 2;
const warmUpSeconds = 1;
const rounds = 3;
const askTriesMax = 60;
const askPauseMs = 500;
const targetShare = 0.6;

/** The requests for one route. */
type Trial = { title: string; requests: readonly string[] };

type Measured = { perSecond: number; p99: number; serviceMicros: number; taken: number };

export const logProtocols: Bench = {
  name: 'log-protocols',
  about: `entries acknowledged a second through each protocol, ${entriesPerRequest} a request; median of ${rounds} rounds in turns`,
  run: async () => {
    await using service = await startBenchService({ TAPEDECK_LOGS_TOKEN: token }, null);
    const trials = protocolForms.map(form => ({
      title: form.title,
      requests: makeProtocolRequests(form, entriesPerRequest, token).map(each => each.toString('latin1')),
    }));
    const measured = new Map<Trial, Measured[]>(trials.map(trial => [trial, []]));
    let taken = 0;
    for (const trial of trials) taken += (await measure(service, trial, warmUpSeconds)).taken;
    for (let round = 0; round < rounds; round++)
      for (const [trial, results] of measured) results.push(await measure(service, trial, trialSeconds));
    for (const results of measured.values()) for (const result of results) taken += result.taken;
    const found = await countFound(service);
    if (found !== taken) throw new Error(`Of ${taken} acknowledged entries ${found} are found.`);
    const [first = []] = measured.values();
    const middle = (results: readonly Measured[], of: keyof Measured) =>
      median(results.map(result => result[of]));
    const rows = Array.from(measured, ([{ title }, results]) => {
      const share = middle(results, 'perSecond') / middle(first, 'perSecond');
      return [
        title,
        middle(results, 'perSecond').toFixed(0),
        `${(share * 100).toFixed(0)} %`,
        results === first ? '' : `${targetShare * 100} %`,
        middle(results, 'p99').toFixed(0),
        middle(results, 'serviceMicros').toFixed(2),
      ];
    });
    printTable(['protocol', 'entries/s', 'of /v3/logs', 'target', 'p99 ms', 'µs/entry service'], rows);
  },
};

async function measure(
  service: BenchService,
  { title, requests }: Trial,
  seconds: number,
): Promise<Measured> {
  const before = await readProcessorTimes(service.pid);
  const result = await runLoadProcess({ port: service.port, connections, seconds, requests }, null);
  const refused = Object.keys(result.statuses).filter(status => !status.startsWith('2'));
  if (refused.length > 0) throw new Error(`${title}: ${JSON.stringify(result.statuses)}`);
  const taken = Object.values(result.statuses).reduce((sum, count) => sum + count, 0) * entriesPerRequest;
  const after = await readProcessorTimes(service.pid);
  return {
    perSecond: result.requestsPerSecond * entriesPerRequest,
    p99: result.p99,
    serviceMicros: (after.service - before.service) / taken,
    taken,
  };
}

/** Retries while the engine is starting. */
async function countFound(service: BenchService): Promise<number> {
  for (let tries = 0; ; tries++) {
    const answer = await ask(service, '/logs?limit=1&includeTotal=true');
    if (answer.status === 503 && tries < askTriesMax) {
      await wait(askPauseMs);
      continue;
    }
    if (answer.status !== 200)
      throw new Error(`The count is answered with ${answer.status}: ${await answer.text()}`);
    // Per the contract.
    const { pagination } = (await answer.json()) as { pagination: { total: number } };
    return pagination.total;
  }
}
