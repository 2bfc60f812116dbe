/**
 * Kills one process of nodes and stores after another, nodes with their disks, under load at every node, and checks every entry, file, token and
 * upload. Then freezes processes, or cuts nodes off from the database.
 */
import {
  assertHarmless,
  type OtherLosses,
  type RoundsResult,
  runKillingRounds,
} from '../server/tests/logs/killingRounds.ts';
import type { VictimKind } from '../server/tests/logs/nodeFaults.ts';
import { type Bench, printTable } from './bench.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 50);
const nodes = Number(process.env.BENCH_NODES ?? 3);
const size = { nodes, shards: 2, hasOthers: true, pauseMs: 5 };
const kinds = (process.env.BENCH_KINDS?.split(',') ?? ['killed', 'held up']) as VictimKind[]; // an unknown kind fails the run

export const journalKills: Bench = {
  name: 'journal-kills',
  about: `${rounds} rounds of killing, and of holding up, one process of ${nodes} nodes, database, bucket and ${size.shards} shards, under load`,
  run: async () => {
    const chooseRound = () => Math.floor(Math.random() * 5040); // 5040 divides evenly by every number of processes
    const results: [VictimKind, RoundsResult][] = [];
    for (const kind of kinds)
      results.push([kind, await runKillingRounds({ rounds, size, kind, chooseRound, tell: console.log })]);
    printTable(
      ['', 'rounds', 'acknowledged', 'found', 'lost', 'doubled', 'split', 'asked', 'refused', 'in part'],
      results.map(([kind, result]) => [kind, String(rounds), ...describeFound(result)]),
    );
    printTable(
      ['', 'files', 'tokens', 'resumable uploads', 'lost, doubled or wrong'],
      results.flatMap(([kind, { others }]) => (others === null ? [] : [[kind, ...describeOthers(others)]])),
    );
    printTable(
      ['', 'longest s without intake', 'without an answer', 'longest wait of a writer'],
      results.map(([kind, result]) => [kind, ...describeTimes(result)]),
    );
    for (const [, { victims, refusals, sentences }] of results)
      console.log(
        JSON.stringify({ victims: [...victims], refusals: [...refusals], sentences: [...sentences] }),
      );
    for (const [, result] of results) assertHarmless(result);
  },
};

function describeFound({ acknowledged, found, lost, doubled, split, probes }: RoundsResult): string[] {
  const { answered, refused, partial } = probes;
  const faults = [lost.length, doubled.length, split.length];
  return [acknowledged, found, ...faults, answered, refused, partial.length].map(String);
}

function describeTimes({ intakeGapMs, answerGapMs, slowestMs }: RoundsResult): string[] {
  return [intakeGapMs, answerGapMs, slowestMs].map(ms => (ms / 1000).toFixed(1));
}

function describeOthers({ files, tokens, uploads, faults }: OtherLosses): string[] {
  return [files, tokens, uploads, faults.length].map(String);
}
