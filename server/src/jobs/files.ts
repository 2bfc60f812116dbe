/** Lists the background jobs for files: expiry, orphans and sweeps. */

import { guardSweeper } from '@tapedeck/domain/files/bucketOwnership';
import { makeSweeper, type SweepDeps } from '@tapedeck/domain/files/sweeping';
import { computePauseMs, type Repeated } from './scheduler.ts';

const dailySweepIntervalMs = 3_600_000; // once done, the sweep does nothing for a day
const prepareIntervalMs = 60_000; // well before an unused index is released
const sweepIntervalMs = 10_000; // CONTRACT.md, 4.5: deleted files free their bytes within 30 s

type FileWorkOptions = { areBlobsKnown: boolean; isShared: boolean };

export function listFileJobs(deps: SweepDeps, { areBlobsKnown, isShared }: FileWorkOptions): Repeated[] {
  const rests = { often: computePauseMs(sweepIntervalMs), daily: computePauseMs(dailySweepIntervalMs) };
  const restMs = isShared ? rests : undefined;
  const sweeper = guardSweeper(makeSweeper({ ...deps, restMs }), deps, areBlobsKnown);
  return [
    { name: 'finish deletions', intervalMs: sweepIntervalMs, work: sweeper.finishDeletions },
    { name: 'expire files', intervalMs: sweepIntervalMs, work: sweeper.sweepOften },
    { name: 'prepare searches', intervalMs: prepareIntervalMs, work: deps.files.prepareSearches },
    { name: 'sweep files', intervalMs: dailySweepIntervalMs, work: sweeper.sweepDaily },
  ];
}
