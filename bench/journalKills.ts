/** Kills one process of nodes and stores after another, nodes with their disks, under writers at every node, and counts the entries. */
import assert from 'node:assert/strict';
import { type RoundsResult, runKillingRounds } from '../server/tests/logs/killingRounds.ts';
import { type Bench, printTable } from './bench.ts';

const rounds = Number(process.env.BENCH_ROUNDS ?? 50);
const shards = 2;

export const journalKills: Bench = {
  name: 'journal-kills',
  about: `${rounds} rounds of kill -9 of a node with its disk, the database, the bucket or one of ${shards} shards, under load`,
  run: async () => {
    const chooseRound = () => Math.floor(Math.random() * 5040); // whose remainders are alike for every count of processes
    const result = await runKillingRounds({ rounds, shards, chooseRound });
    const head = ['rounds', 'acknowledged', 'found', 'lost', 'doubled', 'split'];
    const { lost, doubled, split, probes } = result;
    const faults = [lost, doubled, split].map(each => String(each.length));
    printTable(
      [...head, 'asked elsewhere', 'refused', 'in part', 'longest wait ms'],
      [[String(rounds), ...describe(result), ...faults, ...describeProbes(result)]],
    );
    console.log(JSON.stringify(Object.fromEntries(result.killed)));
    assert.deepEqual(
      { lost, doubled, split, partial: probes.partial },
      { lost: [], doubled: [], split: [], partial: [] },
    );
  },
};

function describe({ acknowledged, found }: RoundsResult): string[] {
  return [acknowledged, found].map(String);
}

function describeProbes({ probes, slowestMs }: RoundsResult): string[] {
  return [probes.answered, probes.refused, probes.partial.length, Math.round(slowestMs)].map(String);
}
