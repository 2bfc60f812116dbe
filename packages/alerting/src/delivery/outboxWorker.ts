/** Empties the outbox: several channels at once, longest waiting first. */
import { setTimeout as wait } from 'node:timers/promises';
import { listDueTimes } from './attempts.ts';
import { ChannelQueue, type DeliveringDeps } from './channelQueue.ts';

const pollIntervalMs = 500;
/** A silent channel takes ten seconds per attempt, so one project may not use all rounds. */
const roundsMax = { all: 64, ofProject: 8 };
const lastWordsMs = 1_500; // lets deliveries finish within the stop's grace period, so that the next process does not repeat them

/** Delivers until the signal aborts. */
export async function deliver(
  deps: DeliveringDeps & { report(error: unknown): void },
  signal: AbortSignal,
): Promise<void> {
  const rounds = new ChannelQueue(deps, { stopping: signal, ending: delaySignal(signal, lastWordsMs) });
  const running = new Map<string, { project: string; round: Promise<void> }>();
  const served = new Set<string>(); // ordered by their last rounds
  try {
    while (!signal.aborted) {
      const due = await deps.store.read.outbox.listDueChannels(listDueTimes(deps.clock.now()));
      const order = new Map([...served].map((id, place) => [id, place]));
      const next = due.toSorted((one, other) => (order.get(one.id) ?? -1) - (order.get(other.id) ?? -1));
      for (const { id, project } of next) {
        if (running.has(id) || !hasCapacity([...running.values()], project)) continue;
        const round = rounds.run(id).catch(error => {
          if (!signal.aborted) deps.report(error);
        });
        served.delete(id);
        served.add(id);
        running.set(id, { project, round: round.finally(() => running.delete(id)) });
      }
      await wait(pollIntervalMs, undefined, { ref: false, signal }).catch(() => {});
    }
  } finally {
    await Promise.all([...running.values()].map(({ round }) => round));
  }
}

function hasCapacity(running: readonly { project: string }[], project: string): boolean {
  return (
    running.length < roundsMax.all &&
    running.filter(one => one.project === project).length < roundsMax.ofProject
  );
}

/** Returns a signal that aborts some time after another one. */
function delaySignal(signal: AbortSignal, delayMs: number): AbortSignal {
  const later = new AbortController();
  const abort = () => void setTimeout(() => later.abort(signal.reason), delayMs).unref();
  signal.addEventListener('abort', abort, { once: true });
  return later.signal;
}
