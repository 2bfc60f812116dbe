/** Leases during work: kept as long as the work takes, and released when it ends. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import { withLease } from '@tapedeck/domain/operations/leases';
import { openMetadataStore } from '@tapedeck/metadata-store';
import { makeDirectory } from '../support/service.ts';

const name = 'sweep';
const leaseMs = 300;

async function openPlace() {
  await using opened = new AsyncDisposableStack();
  const directory = opened.use(await makeDirectory());
  const store = opened.use(
    await openMetadataStore({ kind: 'sqlite', file: path.join(directory.path, 'tapedeck.db') }),
  );
  let [now, checks] = [1_000_000, 0];
  const clock = {
    now: () => {
      checks += 1;
      return now;
    },
    micros: () => now * 1000,
  };
  /** Tries to take it for an hour, as another process. */
  const takeElsewhere = () =>
    store.write(({ leases }) =>
      leases.acquire(
        { name, holder: 'elsewhere', expiresAt: now + 3_600_000 },
        { now, heldUntilMax: now + 3_600_000 },
      ),
    );
  const run = (work: (signal: AbortSignal) => Promise<void>) =>
    withLease({ store, clock }, { name, leaseMs, signal: new AbortController().signal }, work);
  const untilRenewed = async () => {
    const before = checks;
    for (let turn = 0; turn < 2_000 && checks === before; turn += 1) await wait(5);
  };
  const advance = (ms: number) => {
    now += ms;
  };
  const running = opened.move();
  const dispose = () => running.disposeAsync();
  return { run, takeElsewhere, untilRenewed, advance, [Symbol.asyncDispose]: dispose };
}

test('work that takes longer than the lease keeps it to the end, and no longer', async () => {
  await using place = await openPlace();
  await place.run(async signal => {
    for (let turn = 0; turn < 4; turn += 1) {
      place.advance(leaseMs - 1);
      await place.untilRenewed();
      assert.equal(await place.takeElsewhere(), false);
    }
    assert.equal(signal.aborted, false);
  });
  assert.equal(await place.takeElsewhere(), true);
});

test('work whose lease was lost is told to stop, and leaves that lease alone', async () => {
  await using place = await openPlace();
  const isDone = await place.run(async signal => {
    place.advance(leaseMs);
    assert.equal(await place.takeElsewhere(), true);
    await once(signal, 'abort');
  });
  assert.equal(isDone, false);
  let runs = 0;
  const note = async () => {
    runs += 1;
  };
  place.advance(leaseMs);
  assert.equal(await place.run(note), false);
  assert.equal(runs, 0);
  place.advance(3_600_000);
  assert.equal(await place.run(note), true);
  assert.equal(runs, 1);
});

test('failed work leaves no lease behind', async () => {
  await using place = await openPlace();
  const failing = place.run(() => Promise.reject(new Error('not done')));
  await assert.rejects(failing, /not done/);
  assert.equal(await place.takeElsewhere(), true);
});

test('a lease of a dead process whose clock was a year ahead holds nobody up', async () => {
  await using place = await openPlace();
  const yearMs = 365 * 86_400_000;
  place.advance(yearMs);
  assert.equal(await place.takeElsewhere(), true);
  place.advance(-yearMs);
  let runs = 0;
  const note = async () => {
    runs += 1;
  };
  assert.equal(await place.run(note), true);
  assert.equal(runs, 1);
});
