/** Runs folder moves: those that this process began, and those that another process left unfinished. */
import { newId } from '@tapedeck/values/random-ids';
import { findWriter, type RightsDeps } from '../identity/currentRights.ts';
import type { FileRecords } from '../ports/files.ts';
import type { FolderMove, MoveClaim } from '../ports/folderMoves.ts';
import type { MetadataStore } from '../ports/metadata.ts';
import { errorStatuses, isExpected } from '../vocabulary.ts';
import { LostMove, type MovingDeps, moveAll, type PassProgress } from './movePasses.ts';
import { chooseType, requirePathScope } from './permissions.ts';

/** How long a dead process blocks a move. A working process renews its claim. */
const leaseMs = 10_000;
const renewIntervalMs = 2_500;
const rightsIntervalMs = 700; // CONTRACT.md, 2: a revoked token stops writing within a second
const runningMax = 8; // each reads and writes continuously
const retryMs = 10_000; // for example while a bucket is away
const triesMax = 100; // a quarter of an hour without moving a file

type MoverDeps = MovingDeps &
  RightsDeps & {
    store: Pick<MetadataStore, 'read' | 'write'>;
    report(error: unknown): void;
  };

/** Disposing stops the work and releases the claims, so that another process continues at once. */
export type FolderMover = AsyncDisposable & {
  /** Returns the claim for storing a new move: no holder if this process is busy enough. */
  offerClaim(): Pick<FolderMove, 'holder' | 'heldUntil'>;
  isStopping(): boolean;
  /** Works on a move that this process has claimed. */
  start(move: FolderMove): void;
  /** `ended` resolves once this process stops working on the move; null if it is not working on it. */
  find(id: string): { ended: Promise<void> } | null;
  /** Claims moves without a holder. `fromAnyone` also takes over held moves: only for a process that runs alone. */
  takeUp(options: { fromAnyone: boolean }): Promise<void>;
};

export function openFolderMover(deps: MoverDeps): FolderMover {
  const running = new Map<string, { ended: Promise<void> }>();
  const stopping = new AbortController();
  const holder = newId();
  const claimNow = () => ({ holder, heldUntil: deps.clock.now() + leaseMs });
  const hasCapacity = () => running.size < runningMax && !stopping.signal.aborted;
  const start = (move: FolderMove) => {
    if (running.has(move.id)) return;
    const ended = work(deps, move, stopping.signal)
      .catch(deps.report)
      .finally(() => running.delete(move.id));
    running.set(move.id, { ended });
  };
  return {
    offerClaim: () => (hasCapacity() ? claimNow() : { holder: '', heldUntil: 0 }),
    start,
    isStopping: () => stopping.signal.aborted,
    find: id => running.get(id) ?? null,
    takeUp: async ({ fromAnyone }) => {
      if (!hasCapacity()) return;
      const now = fromAnyone ? Number.MAX_SAFE_INTEGER : deps.clock.now();
      for (const move of await deps.store.read.folderMoves.listDue(now, runningMax)) {
        if (running.has(move.id)) continue;
        if (!hasCapacity()) return;
        const claim = { id: move.id, ...claimNow() };
        if (await deps.store.write(({ folderMoves }) => folderMoves.claim(claim, now)))
          start({ ...move, ...claim });
      }
    },
    [Symbol.asyncDispose]: async () => {
      stopping.abort(new Error('The service is stopping.'));
      await Promise.all([...running.values()].map(({ ended }) => ended));
    },
  };
}

/** Counts the files in the folder. */
export async function countWaiting(
  { files }: { files: Pick<FileRecords, 'list'> },
  { project, from, type }: Pick<FolderMove, 'project' | 'from' | 'type'>,
): Promise<number> {
  const filter = { path: from, type, terms: [], metadata: [] };
  return (await files.list(project, { filter, limit: 1, from: { offset: 0 } })).total;
}

/** Works until the move is over, the process stops or another one has the move. */
async function work(deps: MoverDeps, move: FolderMove, stopped: AbortSignal): Promise<void> {
  const progress: PassProgress = { moved: 0, failed: move.failed, reasons: [...move.reasons] };
  const ending = new AbortController();
  const signal = AbortSignal.any([stopped, ending.signal]);
  const change = changeHeld(deps, move);
  const renew = async () => {
    const { failed, reasons } = progress;
    const isOurs = await change({ heldUntil: deps.clock.now() + leaseMs, failed, reasons });
    if (!isOurs) ending.abort(new LostMove());
  };
  const look = () => requireRights(deps, move).catch(error => isRefusal(error) && ending.abort(error));
  const timers = [
    // While the database is away, the next renewal decides.
    setInterval(() => renew().catch(() => undefined), renewIntervalMs).unref(),
    setInterval(look, rightsIntervalMs).unref(),
  ];
  try {
    await requireRights(deps, move);
    await moveAll(deps, move, { progress, signal });
    const { failed, reasons } = progress;
    await change({ endedAt: deps.clock.now(), failed, reasons });
  } catch (error) {
    await breakOff(deps, move, { error, progress, isStopping: stopped.aborted });
  } finally {
    for (const timer of timers) clearInterval(timer);
  }
}

type Break = { error: unknown; progress: PassProgress; isStopping: boolean };

async function breakOff(
  deps: MoverDeps,
  move: FolderMove,
  { error, progress, isStopping }: Break,
): Promise<void> {
  const change = changeHeld(deps, move);
  const { failed, reasons } = progress;
  if (error instanceof LostMove) return;
  if (isRefusal(error)) {
    const left = await countWaiting(deps, move);
    await change({ endedAt: deps.clock.now(), failed: left, reasons: [error.message] });
    return;
  }
  if (isStopping) {
    await change({ holder: '', heldUntil: 0, failed, reasons });
    return;
  }
  const tries = progress.moved > 0 ? 1 : move.tries + 1;
  if (tries < triesMax) {
    await change({ holder: '', heldUntil: deps.clock.now() + retryMs, tries, failed, reasons });
  } else {
    const reason = 'Moving failed repeatedly; the log of the service says why.';
    await change({ endedAt: deps.clock.now(), failed: await countWaiting(deps, move), reasons: [reason] });
  }
  throw error;
}

type Changes = Parameters<MetadataStore['read']['folderMoves']['change']>[1];

function changeHeld({ store }: MoverDeps, { id, holder: own }: MoveClaim) {
  return (changes: Changes) =>
    store.write(({ folderMoves }) => folderMoves.change({ id, holder: own }, changes));
}

/** Throws once the caller may no longer move the folder. */
async function requireRights(deps: MoverDeps, move: FolderMove): Promise<void> {
  const { scopes } = await findWriter(deps, move);
  requirePathScope(scopes, move.from);
  requirePathScope(scopes, move.to);
  chooseType(scopes, move.type);
}

/** Failing to check a right does not mean that it is lost. */
function isRefusal(error: unknown): error is Error {
  return isExpected(error) && errorStatuses[error.code] < 500;
}
