/** The sweep of all blobs: one node runs it once a day, and it deletes nothing if it would delete a lot. */
import assert from 'node:assert/strict';
import { copyFile, utimes } from 'node:fs/promises';
import path from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { makeSweeper, type SweepDeps } from '@tapedeck/domain/files/sweeping';
import { startTestService } from '../support/service.ts';
import { openPlaces } from '../support/sweepStores.ts';
import { runTapedeck, tapedeck } from '../support/tapedeck.ts';

const dayMs = 86_400_000;
const places = openPlaces();
after(() => places[Symbol.asyncDispose]());
const openPlace = places.open;

/** Copies a blob under names that no record knows, dated two hours ago. */
async function plantOrphans(
  place: Awaited<ReturnType<typeof openPlace>>,
  names: readonly string[],
): Promise<void> {
  const [blob = ''] = (await place.listBlobs()).filter(at =>
    place.uploaded.some(({ id }) => at.includes(id)),
  );
  for (const name of names) {
    const orphan = path.join(path.dirname(blob), `${name.padEnd(20, '0')}.png`);
    await copyFile(blob, orphan);
    await utimes(orphan, 1, 1);
  }
}

const countPlanted = async (place: Awaited<ReturnType<typeof openPlace>>) =>
  (await place.listBlobs()).filter(at => /orphan\w+\.png$/.test(at) && !at.includes('quarantine')).length;

test('sweeps once a day, whichever process does it', async () => {
  await using place = await openPlace(1);
  const { deps, clock } = place;
  const { signal } = new AbortController();
  clock.advance(2 * dayMs); // the service swept while it ran
  const sweeper = makeSweeper(deps);
  await sweeper.sweepDaily(signal);
  await plantOrphans(place, ['orphan1']);
  clock.advance(dayMs - 600_000);
  for (const node of [sweeper, makeSweeper(deps)]) await node.sweepDaily(signal);
  assert.equal(await countPlanted(place), 1);
  clock.advance(600_000);
  await makeSweeper(deps).sweepDaily(signal);
  assert.equal(await countPlanted(place), 0);
});

test('sweeps a day after a clock that was a year ahead is set back', async () => {
  await using place = await openPlace(1);
  const { deps, clock } = place;
  const { signal } = new AbortController();
  clock.advance(365 * dayMs);
  await makeSweeper(deps).sweepDaily(signal);
  clock.advance(-363 * dayMs);
  await plantOrphans(place, ['orphan1']);
  await makeSweeper(deps).sweepDaily(signal);
  assert.equal(await countPlanted(place), 0);
});

test('a sweep resumes where another process stopped', async () => {
  await using place = await openPlace(1);
  const { deps, clock } = place;
  await plantOrphans(place, ['orphan1']);
  clock.advance(2 * dayMs);
  const stopping = new AbortController();
  const listed: (string | null)[] = [];
  const watch = (stopAt: number): SweepDeps => ({
    ...deps,
    blobs: Object.assign(Object.create(deps.blobs) as typeof deps.blobs, {
      readMark: () => deps.blobs.readMark(),
      list: (after: string | null = null) => {
        listed.push(after);
        if (listed.length === stopAt) stopping.abort();
        return deps.blobs.list(after);
      },
      quarantine: (at: string, now: number) => deps.blobs.quarantine(at, now),
      listQuarantine: () => deps.blobs.listQuarantine(),
    }),
  });
  await makeSweeper(watch(2)).sweepDaily(stopping.signal);
  assert.equal(await countPlanted(place), 1, 'it had counted, and stopped before it set anything aside');
  await makeSweeper(watch(0)).sweepDaily(new AbortController().signal);
  assert.equal(await countPlanted(place), 0);
  assert.deepEqual(listed, [null, null, null], 'it was counted once');
});

test('a sweep stops before it removes more than one percent, and continues when told to', async () => {
  await using place = await openPlace(3);
  const { deps, clock } = place;
  const { signal } = new AbortController();
  clock.advance(2 * dayMs);
  const names = Array.from({ length: 11 }, (_, index) => `orphan${String.fromCharCode(97 + index)}`);
  await plantOrphans(place, names);
  const sweep = () => makeSweeper(deps).sweepDaily(signal);
  for (let round = 0; round < 2; round += 1)
    await assert.rejects(sweep(), {
      message: /^The sweep is paused: 11 of 14 blobs in the folder .* `tapedeck adopt --sweep`/,
    });
  assert.equal(await countPlanted(place), 11);
  const environment = { TAPEDECK_DATA_DIR: place.dataDir };
  const shown = JSON.parse(await tapedeck(['retention', 'run', '--dry-run', '--json'], environment)) as {
    sweep: { phase: string; due: number; standstill: string };
  };
  assert.deepEqual([shown.sweep.phase, shown.sweep.due], ['stopped', 11]);
  assert.match(shown.sweep.standstill, /is paused/);
  {
    await using service = await startTestService({ dataDir: place.dataDir, clock });
    const metrics = await (await service.fetch('/metrics')).text();
    assert.match(metrics, /^tapedeck_blob_sweep_stopped 1$/m);
    assert.match(metrics, /^tapedeck_blob_sweep_due_blobs 11$/m);
    const warnings = () => service.logged.filter(line => line.includes('The sweep is paused'));
    for (let turn = 0; turn < 600 && warnings().length === 0; turn += 1) await wait(25);
    assert.equal(warnings().length, 1);
  }
  const verified = await runTapedeck(['verify', '--repair', '--json'], environment);
  const { findings } = JSON.parse(verified.printed) as { findings: { problem: string; repaired: boolean }[] };
  assert.ok(findings.every(({ problem, repaired }) => problem === 'orphan' && !repaired));
  await tapedeck(['adopt'], environment);
  await assert.rejects(sweep());
  assert.match(
    await tapedeck(['adopt', '--sweep'], environment),
    /11 of 14 blobs have no record: the next sweep/,
  );
  await sweep();
  assert.equal(await countPlanted(place), 0);
});

test('restores quarantined blobs that have a record', async () => {
  await using place = await openPlace(2);
  const { deps, clock } = place;
  clock.advance(2 * dayMs);
  for await (const { place: at } of deps.blobs.list())
    await deps.blobs.quarantine(at, clock.now() - 30 * dayMs);
  await makeSweeper(deps).sweepDaily(new AbortController().signal);
  assert.deepEqual(
    (await place.listBlobs()).filter(at => at.includes('quarantine')),
    [],
  );
  assert.equal((await place.listBlobs()).length, 2);
});
