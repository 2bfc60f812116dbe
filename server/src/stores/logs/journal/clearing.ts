/** Takes segments off the journal whose entries are in the engine. Their keys are put on the shelves first. */
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { JournalDisk } from './disk.ts';
import type { KeyShelves } from './keys.ts';
import { keepDamagedSegment } from './recovery.ts';
import { removeSegment, type Segment } from './segment.ts';

export type ClearingDeps = {
  disk: JournalDisk;
  log: Logger;
  keys: KeyShelves;
  /** The keys of a segment are kept elsewhere now. */
  onKeysStored(segment: Segment): void;
};

const retryIntervalMs = 1_000;

/** Tried until it is done, or the service stops: then the next start finds it. Resolves to whether it is done. */
export async function clearAway(
  { disk, log, keys, onKeysStored }: ClearingDeps,
  segment: Segment,
  stopping: AbortSignal,
): Promise<boolean> {
  for (;;) {
    try {
      if (segment.keys.length > 0) {
        await keys.add(segment.keys, Date.now());
        onKeysStored(segment);
        segment.keys = [];
      }
      await (segment.isDamaged ? keepDamagedSegment(disk, segment) : removeSegment(disk, segment));
      return true;
    } catch (error) {
      log.error(
        { err: error, segment: segment.name },
        'a segment of the journal could not be cleared away yet',
      );
    }
    if (stopping.aborted) return false;
    await wait(retryIntervalMs, undefined, { signal: stopping, ref: false }).catch(() => {});
  }
}
