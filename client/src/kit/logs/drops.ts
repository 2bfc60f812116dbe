/** Counts dropped entries, and reports them to the program and, as an entry, to the service. */
import { type Batch, makeBatch } from './batches.ts';
import { writeEntry } from './entryText.ts';

export type DropReason = 'queue_full' | 'invalid' | 'unauthorized' | 'closed';

export interface Drops {
  readonly count: number;
  /** Drops not yet reported to the service. */
  readonly untold: number;
  add(reason: DropReason): void;
  /** Returns an entry that tells the service how many were dropped, or null. Stays the same until confirmed. */
  takeNotice(target: { dataset?: string; resource?: string }): Batch | null;
  confirmNotice(): void;
}

export function createDrops(onDrop?: (drop: { count: number; reason: DropReason }) => void): Drops {
  let count = 0;
  let told = 0;
  let notice: { batch: Batch; upTo: number } | null = null;
  const unreported = new Map<DropReason, number>();

  function report(): void {
    const drops = [...unreported];
    unreported.clear();
    for (const [reason, dropped] of drops) onDrop?.({ count: dropped, reason });
  }

  return {
    get count() {
      return count;
    },
    get untold() {
      return count - told;
    },
    add(reason) {
      count++;
      // Report many drops in one call.
      if (unreported.size === 0) queueMicrotask(report);
      unreported.set(reason, (unreported.get(reason) ?? 0) + 1);
    },
    takeNotice({ dataset = 'default', resource }) {
      if (notice === null && count > told) {
        const dropped = count - told;
        const message = `${dropped} log ${dropped === 1 ? 'entry was' : 'entries were'} dropped before ${dropped === 1 ? 'it' : 'they'} could be sent.`;
        const text = writeEntry({ level: 'warn', message, metadata: { tapedeck: { dropped } } }, resource);
        if (text !== null)
          notice = { batch: makeBatch(dataset, [{ text, bytes: text.length }]), upTo: count };
      }
      return notice?.batch ?? null;
    },
    confirmNotice() {
      told = notice?.upTo ?? told;
      notice = null;
    },
  };
}
