/**
 * Nodes of this version and the previous one on the same database, bucket and ClickHouse, under load: each becomes the other in turn, including
 * the older version on tables that the newer one made. Nothing is lost, and requests are refused only while a node restarts.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { startSharedStores } from '../logs/sharedJournal.ts';
import {
  assertComplete,
  compareFound,
  startWriters,
  type Writers,
  type WriterTarget,
} from '../support/logWriters.ts';
import { mediaEnvironment, mediaToken } from '../support/uploading.ts';
import { unpackPrevious } from '../versions/previousVersion.ts';
import { type RollingNode, startRollingNode, type Version } from '../versions/rollingNode.ts';
import { startUploaders, type Uploaders } from '../versions/uploaders.ts';

await using opened = new AsyncDisposableStack();
const stores = opened.use(await startSharedStores(1));
const previous = opened.use(await unpackPrevious());
const settings = { ...stores.settings(), ...mediaEnvironment };
const onDisk = { ...settings, TAPEDECK_JOURNAL: 'disk' };
const before: Version = { name: 'before', program: previous.program, settings };
const beforeOnDisk: Version = { name: 'before', program: previous.program, settings: onDisk };
const now: Version = { name: 'now', program: undefined, settings };
const one = opened.use(await startRollingNode(stores.token, beforeOnDisk));
const other = opened.use(await startRollingNode(stores.token, beforeOnDisk));
const running = opened.move();
after(() => running.disposeAsync());

const foundMsMax = 60_000;
const batchesBetween = 10;

/**
 * The newer version beside the older, whose journal is on its disk; a rollback, with no newer node left to help; all upgraded; and an older node
 * that returns beside a newer one, on the journal that both share.
 */
const steps: readonly [RollingNode, Version][] = [
  [one, now],
  [one, beforeOnDisk],
  [one, now],
  [other, now],
  [one, before],
  [other, before],
];

test('two versions alternate under load: nothing is lost, duplicated or rejected permanently', async () => {
  const both: WriterTarget = { ...one.target };
  const options = { writers: 2, rowsMax: 10, pauseMs: 50 };
  using atBoth = startWriters(both, { ...options, prefix: 'both' });
  using atOne = startWriters(one.target, { ...options, prefix: 'one' });
  using atOther = startWriters(other.target, { ...options, prefix: 'other' });
  using filesAtOne = startUploaders(() => one.target.url, { token: mediaToken });
  using filesAtOther = startUploaders(() => other.target.url, { token: mediaToken });
  const writers = [atBoth, atOne, atOther];
  const uploaders = [filesAtOne, filesAtOther];
  for (const [node, version] of steps) {
    // Acts as a proxy, which sends everything to the node that is running.
    both.url = (node === one ? other : one).target.url;
    await node.become(version);
    both.url = node.target.url;
    if (version === beforeOnDisk) await assertAllFound(other, writers);
    await proceed([
      ...writers.map(({ written }) => written.acknowledged),
      ...uploaders.map(({ kept }) => kept),
    ]);
  }
  await Promise.all([...writers, ...uploaders].map(load => load.stop()));
  assert.ok(writers.every(({ written }) => written.acknowledged.size > steps.length * batchesBetween));
  for (const node of [one, other]) {
    await assertAllFound(node, writers);
    await assertAllRead(node, uploaders);
  }
  assertRefusedInPeace([
    ...writers.map(({ written }) => written.refusals),
    ...uploaders.map(({ refusals }) => refusals),
  ]);
});

/** Waits until all of them have made progress. */
async function proceed(successes: readonly ReadonlyMap<string, unknown>[]): Promise<void> {
  const deadline = performance.now() + foundMsMax;
  const enough = successes.map(({ size }) => size + batchesBetween);
  while (successes.some(({ size }, index) => size < enough[index]!)) {
    assert.ok(performance.now() < deadline, 'every client continues at its node');
    await wait(10);
  }
}

/** This version's queries wait for all that other nodes acknowledged; what an older node keeps on disk comes a moment later. */
async function assertAllFound({ target }: RollingNode, writers: readonly Writers[]): Promise<void> {
  const acknowledged = new Map(writers.flatMap(({ written }) => [...written.acknowledged]));
  const deadline = performance.now() + foundMsMax;
  for (;;) {
    const found = await compareFound(target, acknowledged, foundMsMax);
    if (found.lost.length === 0 || performance.now() > deadline) return assertComplete(found);
    await wait(200);
  }
}

async function assertAllRead({ target }: RollingNode, uploaders: readonly Uploaders[]): Promise<void> {
  for (const { kept } of uploaders) {
    for (const [path, bytes] of kept) {
      const response = await fetch(`${target.url}${path}`);
      assert.equal(response.status, 200, path);
      assert.deepEqual(Buffer.from(await response.arrayBuffer()), bytes, path);
    }
  }
}

/** Asserts that each refusal had no response, or asked for a retry. */
function assertRefusedInPeace(refusals: readonly ReadonlyMap<string, number>[]): void {
  const words = new Set(refusals.flatMap(refused => [...refused.keys()]));
  assert.deepEqual(
    [...words].filter(word => word !== 'none' && !/^503 \w+$/.test(word)),
    [],
  );
}
