/**
 * Tests that the model neither loses nor invents entries, ends with an empty queue, and is deterministic. Also tests that docs/scaling.md is fresh.
 */
import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { reckonEntries, reckonFiles } from './arithmetic.ts';
import { readDocument, renew } from './document.ts';
import { simulate } from './model.ts';
import type { Cluster } from './modelState.ts';
import { describeOutages, makeCluster, type Story, scenarios } from './outages.ts';

const small: Cluster = { ...makeCluster(100_000), arriveMs: 30_000, outages: [] };
const minute = { fromMs: 10_000, toMs: 20_000 };
const stories = describeOutages();

function assertBalanced({ outcome }: Pick<Story, 'outcome'>, name: string): void {
  const { offered, acknowledged, refused, unanswered, imported, waiting } = outcome;
  assert.equal(offered, acknowledged + refused + unanswered, `${name}: each entry has one end`);
  assert.equal(acknowledged, imported, `${name}: what was acknowledged is imported, once`);
  assert.equal(waiting, 0, `${name}: nothing is left`);
  assert.ok(offered > 0 && acknowledged > 0);
}

test('imports, refuses or leaves unanswered each entry in every outage, and ends with an empty queue', () => {
  for (const story of stories) assertBalanced(story, `${story.entriesPerSecond} ${story.scenario}`);
  for (let seed = 1; seed <= 10; seed++) {
    for (const { name, outages } of scenarios) {
      const cluster = { ...small, seed, arriveMs: 130_000, entriesPerSecond: 5_000 };
      assertBalanced({ outcome: simulate({ ...cluster, outages: outages(cluster) }) }, `${seed} ${name}`);
    }
  }
});

test('equal seeds give equal results', () => {
  const outages = [{ what: 'node' as const, which: [0], ...minute }];
  const one = simulate({ ...small, outages });
  assert.deepEqual(simulate({ ...small, outages }), one);
  assert.notDeepEqual(simulate({ ...small, outages, seed: small.seed + 1 }), one);
});

describe('during an outage of', () => {
  const during = (what: 'bucket' | 'database' | 'shard' | 'node', which?: number[]) =>
    simulate({ ...small, outages: [{ what, ...minute, ...(which && { which }) }] });
  const usual = simulate(small);

  it('nothing, all entries are accepted and can be found within three seconds', () => {
    assert.deepEqual([usual.refused, usual.unanswered], [0, 0]);
    assert.ok(usual.seconds.every(({ oldestMs }) => oldestMs < 3_000));
  });

  it('bucket or database, entries are refused', () => {
    for (const what of ['bucket', 'database'] as const) {
      const { refused, offered, unanswered } = during(what);
      assert.equal(unanswered, 0);
      // Ten of thirty seconds, and five more in which requests wait in vain.
      assert.ok(refused > offered * 0.25 && refused < offered * 0.5, what);
    }
  });

  it('all shards, all entries are accepted and queued', () => {
    const { refused, seconds } = during('shard');
    assert.equal(refused, 0);
    const most = Math.max(...seconds.map(({ waiting }) => waiting));
    assert.ok(most > 100_000 * 9 && most < 100_000 * 13, `${most}`);
  });

  it('one of two shards, the other receives its entries', () => {
    const { refused, seconds } = during('shard', [1]);
    assert.equal(refused, 0);
    assert.ok(Math.max(...seconds.map(({ waiting }) => waiting)) < 100_000 * 5);
  });

  it('a node, its open requests are unanswered and new ones refused until the proxy notices', () => {
    const { unanswered, refused, offered } = during('node', [0]);
    assert.ok(unanswered > 0 && unanswered < 100_000);
    assert.ok(refused > 0 && refused < offered * 0.12);
  });
});

test('the sizing grows with the load and plans for twice the need', () => {
  const [one, ten] = [reckonEntries(1_000_000), reckonEntries(10_000_000)];
  assert.ok(Math.abs(ten.serviceCores / one.serviceCores - 10) < 1e-9);
  for (const needs of [one, ten]) {
    assert.ok(needs.nodes * needs.nodeCores >= 2 * needs.serviceCores);
    assert.ok(needs.shards * needs.laneRate >= 2 * needs.entriesPerSecond);
  }
  assert.equal(reckonFiles(2e12).files, 2 * reckonFiles(1e12).files);
});

test('docs/scaling.md and its picture match the current costs', async () => {
  const now = await readDocument();
  const fresh = renew(now, stories);
  assert.ok(fresh.text === now.text, 'docs/scaling.md is stale: run `npm run scaling`.');
  assert.ok(fresh.picture === now.picture, 'docs/scaling-outages.svg is stale: run `npm run scaling`.');
});
