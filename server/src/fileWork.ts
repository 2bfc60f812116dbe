/** What is done about files beside the requests: what is due goes, and what is left over is found. */
import type { Repeated } from './backgroundWork.ts';
import { guardSweeper } from './domain/files/ownBlobs.ts';
import { makeSweeper, type SweepDeps } from './domain/files/sweeping.ts';

const dailySweepIntervalMs = 3_600_000; // the sweep does nothing for a day once it is done
const sweepIntervalMs = 10_000; // CONTRACT.md, 4.5: the bytes of a deleted file are free within 30 s

export function listFileWork(deps: SweepDeps, areBlobsKnown: boolean): Repeated[] {
  const sweeper = guardSweeper(makeSweeper(deps), deps, areBlobsKnown);
  return [
    { intervalMs: sweepIntervalMs, work: sweeper.finishDeletions },
    { intervalMs: sweepIntervalMs, work: sweeper.sweepOften },
    { intervalMs: dailySweepIntervalMs, work: sweeper.sweepDaily },
  ];
}
