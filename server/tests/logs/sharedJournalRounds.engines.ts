/** Kills each kind of process of the set once, nodes with their disks. `npm run bench journal-kills` does it fifty times. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertHarmless, runKillingRounds } from './killingRounds.ts';

test('a node and its disk, database, bucket and a shard die under load: each node has all, once', async () => {
  const order = [0, 3, 4, 5];
  const result = await runKillingRounds({
    rounds: order.length,
    size: { nodes: 3, shards: 1, hasOthers: false, pauseMs: 40 },
    kind: 'killed',
    chooseRound: round => order[round]!,
  });
  assertHarmless(result);
  assert.ok(result.probes.answered > 0, 'some queries get responses');
  assert.ok(result.found >= result.acknowledged && result.acknowledged > 0);
});
