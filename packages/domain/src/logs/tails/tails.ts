/**
 * Follows entries in order of arrival, whichever node ingested them. All current listeners share one query for new entries
 * (`sharedTailQuery.ts`). A listener that was briefly full resumes from that query's results. A listener that is further behind, because it
 * resumed or reads slowly, catches up with its own queries (`laggingFollowers.ts`). Each listener keeps its position, so it gets every entry
 * exactly once.
 */

import { Gate } from '@tapedeck/concurrency/gate';
import { TimeSlices } from '@tapedeck/concurrency/turns';
import { compareArrivals, findEarlier } from '@tapedeck/log-entries';
import { ServiceError } from '../../vocabulary.ts';
import { FollowerMemory } from './followerMemory.ts';
import { Follower, type TailListener, unlessMissing } from './followers.ts';
import { CatchUpProgress, CatchUps } from './laggingFollowers.ts';
import { RecentEntries } from './pages.ts';
import { type LogTailDeps, SharedTailQuery, type TailEnd } from './sharedTailQuery.ts';

export type LogTails = Disposable & {
  memory: FollowerMemory;
  /** Resolves immediately when the listener's signal aborts or the service stops. Rejects if the store fails, except for outages after the start. */
  follow(listener: TailListener): Promise<void>;
};

const listenersMax = 2_000; // each checks every entry; a single project may use half

type Sources = { slices: TimeSlices; shared: SharedTailQuery; catchUps: CatchUps };

export function openLogTails(deps: LogTailDeps): LogTails {
  const stopping = new AbortController();
  const slices = new TimeSlices();
  const recent = new RecentEntries();
  const catchUps = new CatchUps(deps.arrivals, recent, stopping.signal);
  const onSetBack = () => catchUps.forget();
  const sources = {
    slices,
    shared: new SharedTailQuery({ ...deps, recent, onSetBack }, slices, stopping.signal),
    catchUps,
  };
  const gate = new Gate(listenersMax, { leavesRoom: true });
  let followers = 0;
  return {
    memory: new FollowerMemory(),
    async follow(given) {
      using pass = gate.tryEnter(given.filter.project);
      if (pass === null) throw tooManyError();
      followers++;
      const listener = { ...given, signal: AbortSignal.any([given.signal, stopping.signal]) };
      try {
        await keepFollowing(sources, listener);
      } catch (error) {
        if (!stopping.signal.aborted) throw error; // otherwise the query failed because the service is stopping
      } finally {
        if (--followers === 0) sources.catchUps.forget();
      }
    },
    [Symbol.dispose]: () => stopping.abort(),
  };
}

async function keepFollowing({ slices, shared, catchUps }: Sources, listener: TailListener): Promise<void> {
  const { signal } = listener;
  const end = await unlessMissing(shared.findEnd(), signal);
  if (end === null) return;
  const begun = await slices.run(() => (signal.aborted ? null : begin(shared, listener, end)));
  if (begun === null) return;
  const { follower } = begun;
  using _held = begun.held;
  const pace = new CatchUpProgress();
  while (!signal.aborted) {
    await unlessMissing(listener.untilRoom(), signal);
    if (signal.aborted) return;
    if (compareArrivals(follower.position, shared.position) >= 0) {
      await shared.share(follower);
      continue;
    }
    const steps = shared.clockSteps;
    const page = shared.findPage(follower) ?? (await catchUps.findPage(follower, pace, shared.position));
    if (signal.aborted) return;
    if (page === null) continue;
    await slices.run(() => steps === shared.clockSteps && follower.deliverPage(page));
  }
}

/** Runs in a slice, because a thousand followers may begin at once. */
function begin(shared: SharedTailQuery, listener: TailListener, { now, settled }: TailEnd) {
  const follower = new Follower(listener, findEarlier(listener.after ?? now, now)); // the clock may have been ahead
  using held = new DisposableStack();
  held.use(shared.hold(follower, settled));
  listener.onBegin(follower);
  return { follower, held: held.move() };
}

function tooManyError(): ServiceError {
  return new ServiceError('overloaded', 'Too many clients are already following the log; try again later.', {
    retryAfterSeconds: 30,
  });
}
