/** Combines the intake with an old one, which accepts nothing new but still holds acknowledged entries and the keys of the last day. */
import type { OpenedIntake } from './intake.ts';

/** New entries go into `taking`; queries and deletions also wait for what `left` holds. */
export function withOldJournal(taking: OpenedIntake, left: OpenedIntake): OpenedIntake {
  const both = async (work: (intake: OpenedIntake) => Promise<void>) => {
    await Promise.all([work(taking), work(left)]);
  };
  return {
    openBatch: taking.openBatch,
    findKey: scopeHash => left.findKey(scopeHash),
    keepNodeId: () => left.keepNodeId(), // open claims on keys carry that name
    flush: timeMsMax => both(intake => intake.flush(timeMsMax)),
    flushAndForget: timeMsMax => both(intake => intake.flushAndForget(timeMsMax)),
    async waitForWholeBatches(timeMsMax, signal) {
      await left.waitForWholeBatches(timeMsMax, signal);
      await taking.waitForWholeBatches(timeMsMax, signal);
    },
    subscribe: listener => taking.subscribe(listener),
    get insertedRows() {
      return taking.insertedRows + left.insertedRows;
    },
    get isInserting() {
      return taking.isInserting || left.isInserting;
    },
    get failures() {
      return taking.failures + left.failures;
    },
    async readWaiting() {
      const [one, other] = await Promise.all([taking.readWaiting(), left.readWaiting()]);
      if (one === null || other === null) return null;
      const oldest = [one.oldestAt, other.oldestAt].filter(at => at !== null);
      return {
        entries: one.entries + other.entries,
        bytes: one.bytes + other.bytes,
        oldestAt: oldest.length === 0 ? null : Math.min(...oldest),
      };
    },
    async inspectJournal() {
      const [one, other, waiting] = await Promise.all([
        taking.inspectJournal(),
        left.inspectJournal(),
        this.readWaiting(),
      ]);
      const damaged = one.damaged === null || other.damaged === null ? null : one.damaged + other.damaged;
      return { waiting, damaged, bytesMax: one.bytesMax };
    },
    requireTaking: () => taking.requireTaking(),
    releaseReserve: () => left.releaseReserve(),
    async [Symbol.asyncDispose]() {
      await taking[Symbol.asyncDispose]();
      await left[Symbol.asyncDispose]();
    },
  };
}
