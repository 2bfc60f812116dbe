/** Works on moves of folders: those that this process began, and those that another one left behind. */
import { newId } from '@tapedeck/values/random-ids';
import { errorStatuses, isExpected } from '../../vocabulary.ts';
import { findWriter, type RightsDeps } from '../identity/presentRights.ts';
import type { FileRecords } from '../ports/files.ts';
import type { FolderMove, MoveClaim } from '../ports/folderMoves.ts';
import type { MetadataStore } from '../ports/metadata.ts';
import { LostMove, type MovingDeps, moveAll, type PassProgress } from './movePasses.ts';
import { chooseType, requirePathScope } from './permissions.ts';

/** A process that died holds a move up for so long. One that works renews its claim. */
const leaseMs = 10_000;
const renewIntervalMs = 2_500;
const rightsIntervalMs = 700; // CONTRACT.md, 2: a revoked token writes nothing for longer than a second
const runningMax = 8; // each reads and writes all the time
const retryMs = 10_000; // such as while a bucket is away
const triesMax = 100; // a quarter of an hour with nothing moved

type MoverDeps = MovingDeps &
  RightsDeps & {
    store: Pick<MetadataStore, 'read' | 'write'>;
    report(error: unknown): void;
  };

/** Disposing stops the work and lets go of it, so that the next process goes on at once. */
export type FolderMover = AsyncDisposable & {
  /** The claim with which a new move is stored: none where this process has enough to do. */
  offerClaim(): Pick<FolderMove, 'holder' | 'heldUntil'>;
  isStopping(): boolean;
  /** Works on a move that this process has claimed. */
  start(move: FolderMove): void;
  /** Resolves `ended` once this process works on it no more; null where it does not. */
  find(id: string): { ended: Promise<void> } | null;
  /** Claims what nobody works on. With `fromAnyone`, no other process can be there that holds anything. */
  takeUp(options: { fromAnyone: boolean }): Promise<void>;
};

export function openFolderMover(deps: MoverDeps): FolderMover {
  const running = new Map<string, { ended: Promise<void> }>();
  const stopping = new AbortController();
  const holder = newId();
  const claimNow = () => ({ holder, heldUntil: deps.clock.now() + leaseMs });
  const hasRoom = () => running.size < runningMax && !stopping.signal.aborted;
  const start = (move: FolderMove) => {
    if (running.has(move.id)) return;
    const ended = work(deps, move, stopping.signal)
      .catch(deps.report)
      .finally(() => running.delete(move.id));
    running.set(move.id, { ended });
  };
  return {
    offerClaim: () => (hasRoom() ? claimNow() : { holder: '', heldUntil: 0 }),
    start,
    isStopping: () => stopping.signal.aborted,
    find: id => running.get(id) ?? null,
    takeUp: async ({ fromAnyone }) => {
      if (!hasRoom()) return;
      const now = fromAnyone ? Number.MAX_SAFE_INTEGER : deps.clock.now();
      for (const move of await deps.store.read.folderMoves.listDue(now, runningMax)) {
        if (running.has(move.id)) continue;
        if (!hasRoom()) return;
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

/** Files that lie in the folder. */
export async function countWaiting(
  { files }: { files: Pick<FileRecords, 'list'> },
  { project, from, type }: Pick<FolderMove, 'project' | 'from' | 'type'>,
): Promise<number> {
  const filter = { path: from, type, terms: [], metadata: [] };
  return (await files.list(project, { filter, limit: 1, from: { offset: 0 } })).total;
}

/** Until it is over, or the process stops, or another one has it. */
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
    // The next renewal tells, while the database is away.
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
    const reason = 'Moving failed again and again; the log of the service says why.';
    await change({ endedAt: deps.clock.now(), failed: await countWaiting(deps, move), reasons: [reason] });
  }
  throw error;
}

type Changes = Parameters<MetadataStore['read']['folderMoves']['change']>[1];

function changeHeld({ store }: MoverDeps, { id, holder: own }: MoveClaim) {
  return (changes: Changes) =>
    store.write(({ folderMoves }) => folderMoves.change({ id, holder: own }, changes));
}

/** Throws once whoever asked may not move the folder any more. */
async function requireRights(deps: MoverDeps, move: FolderMove): Promise<void> {
  const { scopes } = await findWriter(deps, move);
  requirePathScope(scopes, move.from);
  requirePathScope(scopes, move.to);
  chooseType(scopes, move.type);
}

/** A right that cannot be looked up just now is not a right that is gone. */
function isRefusal(error: unknown): error is Error {
  return isExpected(error) && errorStatuses[error.code] < 500;
}
