/**
 * Nodes on a database, a bucket and ClickHouse shards: each round kills one process, a node with its disk, or freezes one for seconds, while
 * writers use every node. Whatever any node acknowledged must be found once and whole. In between, other nodes must find at once what one
 * acknowledged, or refuse and say why.
 */
import assert from 'node:assert/strict';
import { setTimeout as wait } from 'node:timers/promises';
import { queryLogs } from '@tapedeck/contract/logs';
import { addAcknowledged, noneAcknowledged } from '../durability/load.ts';
import { findLossesOfOthers } from '../durability/lossCheck.ts';
import { readAs } from '../support/jsonAnswers.ts';
import { compareFound, type WriterTarget } from '../support/logWriters.ts';
import { type SetNode, type SetSize, startSet, type VictimKind } from './nodeFaults.ts';

const progressMsMax = 120_000; // everything starting on a busy machine
const loadMsSpan = 900; // before a kill, so that it meets groups, notes, imports and merges at every stage
const probesPerRound = 3;
const batchesPerQuery = 10; // of one writer
const answerMsMax = 60_000; // a longer wait is as bad as no answer

type Rounds = {
  rounds: number;
  size: SetSize;
  kind: VictimKind;
  chooseRound(round: number): number;
  tell?: (line: string) => void;
};

export type OtherLosses = Awaited<ReturnType<typeof findLossesOfOthers>>;

export type RoundsResult = {
  victims: Map<string, number>;
  acknowledged: number;
  found: number;
  lost: string[];
  doubled: string[];
  split: string[];
  /** Sentences about lost, doubled or wrong data other than entries; null if none was checked. */
  others: OtherLosses | null;
  /** Queries at one node for what another has just acknowledged: how many were answered whole or refused. */
  probes: { answered: number; refused: number; partial: string[] };
  /** Counts statuses that writers got, or `none` for a broken connection, and messages of refused probes. */
  refusals: Map<string, number>;
  sentences: Set<string>;
  /** The longest wait of any writer at a node, and the longest gaps in which no node acknowledged anything, or answered any query. */
  slowestMs: number;
  intakeGapMs: number;
  answerGapMs: number;
};

export async function runKillingRounds({
  rounds,
  size,
  kind,
  chooseRound,
  tell,
}: Rounds): Promise<RoundsResult> {
  await using opened = new AsyncDisposableStack();
  const intake = openGaps();
  const { nodes, victims } = await startSet(size, opened, intake.note);
  const asking = opened.use(keepAsking(nodes, size.pauseMs * batchesPerQuery));
  const done = new Map<string, number>();
  const probes: Probes = { answered: 0, refused: 0, partial: [], sentences: asking.sentences };
  for (let round = 0; round < rounds; round++) {
    const victim = victims[kind][chooseRound(round) % victims[kind].length]!;
    done.set(victim.name, (done.get(victim.name) ?? 0) + 1);
    await untilProgress(nodes.filter(({ isThere }) => isThere));
    await wait((round * 137) % loadMsSpan);
    tell?.(`${round} ${victim.name}`);
    const recover = await victim.begin();
    await wait(victim.heldMs);
    await probe(nodes, `${round} down`, probes);
    await recover();
    await probe(nodes, `${round} back`, probes);
  }
  await untilProgress(nodes);
  const written = await Promise.all(nodes.map(({ writers }) => writers.stop()));
  await Promise.all(nodes.map(({ others }) => others?.stop()));
  await asking.stop();
  const gaps = { intakeGapMs: intake.longestMs(), answerGapMs: asking.longestMs() };
  const acknowledged = new Map(written.flatMap(each => [...each.acknowledged]));
  const { entries, ...faults } = await compareFound(nodes[0]!.target, acknowledged, progressMsMax);
  const slowestMs = Math.max(...written.map(each => each.slowestMs));
  const { sentences, ...probed } = probes;
  const others = await findLostOthers(nodes);
  return {
    victims: done,
    acknowledged: sum([...acknowledged.values()]),
    found: entries,
    ...faults,
    probes: probed,
    sentences,
    slowestMs,
    ...gaps,
    others,
    refusals: addUp([...written, ...nodes.flatMap(each => each.others ?? [])].map(each => each.refusals)),
  };
}

async function findLostOthers(nodes: readonly SetNode[]): Promise<OtherLosses | null> {
  const known = noneAcknowledged();
  const loads = nodes.flatMap(({ others }) => others ?? []);
  for (const load of loads) addAcknowledged(known, load.acknowledged());
  return loads.length === 0 ? null : await findLossesOfOthers(nodes[0]!.target, known);
}

/** Asserts that nothing was lost or answered in part, and that every refusal said it was temporary. */
export function assertHarmless(result: RoundsResult): void {
  const { lost, doubled, split, probes, others } = result;
  const odd = [...result.refusals.keys()].filter(each => each !== 'none' && !/^503 \w+$/.test(each));
  assert.deepEqual(
    { lost, doubled, split, partial: probes.partial, odd, faults: others?.faults ?? [] },
    { lost: [], doubled: [], split: [], partial: [], odd: [], faults: [] },
  );
}

/** Resolves once each of these nodes has acknowledged something. */
async function untilProgress(nodes: readonly SetNode[]): Promise<void> {
  const deadline = performance.now() + progressMsMax;
  const before = nodes.map(({ writers }) => writers.written.acknowledged.size);
  for (const [index, { writers }] of nodes.entries()) {
    while (writers.written.acknowledged.size <= before[index]!) {
      const refusals = JSON.stringify([...writers.written.refusals]);
      assert.ok(performance.now() < deadline, `node ${index} acknowledges nothing: ${refusals}`);
      await wait(10);
    }
  }
}

type Probes = RoundsResult['probes'] & { sentences: Set<string> };

/** Writes at one node and queries another: it finds everything acknowledged under the name, or refuses. */
async function probe(nodes: readonly SetNode[], name: string, probes: Probes): Promise<void> {
  const dataset = `probe-${name.replace(' ', '-')}`;
  const living = nodes.filter(({ isThere }) => isThere);
  const sent: string[] = [];
  for (let number = 0; number < probesPerRound; number++) {
    const writer = living[number % living.length]!.target;
    const reader = living[(number + 1) % living.length]!.target;
    const message = `p${number}`;
    if (await post(writer, { dataset, message }, probes.sentences)) sent.push(message);
    const found = await read(reader, dataset, probes.sentences);
    if (found === null) probes.refused++;
    else if (sent.every(each => found.includes(each))) probes.answered++;
    else probes.partial.push(`${name}: ${found} of ${sent}`);
  }
}

type Sent = { dataset: string; message: string };

async function post(
  { url, token }: WriterTarget,
  { dataset, message }: Sent,
  sentences: Set<string>,
): Promise<boolean> {
  const response = await fetch(`${url}/api/v3/logs?dataset=${dataset}`, {
    method: 'POST',
    headers: { authorization: token, 'content-type': 'application/json' },
    body: JSON.stringify([{ level: 'info', message }]),
    signal: AbortSignal.timeout(answerMsMax),
  });
  if (response.status !== 200) await countRefusal(response, sentences);
  else await response.arrayBuffer();
  return response.status === 200;
}

/** Returns null if refused. */
async function read(
  { url, token }: WriterTarget,
  dataset: string,
  sentences: Set<string>,
): Promise<string[] | null> {
  const response = await fetch(`${url}/api/v3/logs?dataset=${dataset}&limit=100`, {
    headers: { authorization: token },
    signal: AbortSignal.timeout(answerMsMax),
  });
  if (response.status === 200) return (await readAs(queryLogs.answer, response)).data.map(({ body }) => body);
  await countRefusal(response, sentences);
  return null;
}

async function countRefusal(response: Response, sentences: Set<string>): Promise<void> {
  const { error } = (await response.json()) as { error: string }; // CONTRACT.md, 2: every error has a sentence
  sentences.add(error);
  assert.equal(response.status, 503, error);
}

/** Measures the longest time between two recorded events. */
function openGaps() {
  let lastAt = performance.now();
  let longestMs = 0;
  const note = () => {
    longestMs = Math.max(longestMs, performance.now() - lastAt);
    lastAt = performance.now();
  };
  return { note, longestMs: () => longestMs };
}

/** Keeps querying any available node, one request after another. */
function keepAsking(nodes: readonly SetNode[], pauseMs: number) {
  const gaps = openGaps();
  const sentences = new Set<string>();
  let isStopped = false;
  const ask = async () => {
    for (let turn = 0; !isStopped; turn++) {
      const { isThere, target } = nodes[turn % nodes.length]!;
      const asked = isThere ? { ...target } : null;
      // A node may be killed, or frozen, while it is queried.
      const found =
        asked &&
        (await Promise.race([read(asked, 'default', sentences).catch(rethrowOdd), wait(2_500, null)]));
      if (found !== null) gaps.note();
      await wait(pauseMs);
    }
  };
  const asking = ask();
  asking.catch(() => {}); // the caller that stops it gets the error
  return {
    sentences,
    longestMs: gaps.longestMs,
    stop: async () => {
      isStopped = true;
      await asking;
    },
    [Symbol.dispose]: () => {
      isStopped = true;
    },
  };
}

/** Returns null for a broken connection, and throws other errors. */
function rethrowOdd(error: unknown): null {
  if (error instanceof assert.AssertionError) throw error;
  return null;
}

function addUp(counts: readonly ReadonlyMap<string, number>[]): Map<string, number> {
  const all = new Map<string, number>();
  for (const [name, count] of counts.flatMap(each => [...each])) all.set(name, (all.get(name) ?? 0) + count);
  return all;
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
