/**
 * Moves folders with all files in and below them. A move is stored before it begins, so it continues after the caller has left, after a
 * restart, or on another node. Repeating the request follows the same move.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { newSortableId } from '@tapedeck/values/random-ids';
import type { TokenPrincipal, UserReader } from '../identity/principals.ts';
import type { FolderMove } from '../ports/folderMoves.ts';
import type { MetadataStore, Records } from '../ports/metadata.ts';
import { recordAudit } from '../projects/auditedChanges.ts';
import { type MediaType, ServiceError } from '../vocabulary.ts';
import { noFileError } from './fileLookup.ts';
import { countWaiting, type FolderMover } from './folderMover.ts';
import { parseFolderPath } from './folderPath.ts';
import type { MovingDeps } from './movePasses.ts';
import { chooseType, requirePathScope } from './permissions.ts';

const movesMax = 4; // per project at a time
export const rememberedMs = 60_000; // callers learn this long how a move ended
const pollMs = 250; // while another node works on it

type MoveProgress = Pick<FolderMove, 'total' | 'moved' | 'failed'> & {
  /** Why the first failed file could not be moved. */
  reason: string | null;
  /** Whether the move has ended. */
  isOver: boolean;
};

type MoveRequest = { caller: TokenPrincipal | UserReader; from: string; to: string };
type Request = MoveRequest & { type: MediaType | null };

type RequestDeps = MovingDeps & { store: MetadataStore; folderMover: FolderMover };

/** Throws `path_invalid` for an invalid folder, or if a folder would move into itself. */
export function parseFolderMove(body: { from: string; to: string }): { from: string; to: string } {
  const [from, to] = [parseFolderPath(body.from), parseFolderPath(body.to)];
  if (from === '' || to === '')
    throw new ServiceError('path_invalid', 'Name the folder to move and its new path.');
  if (`${to}/`.startsWith(`${from}/`))
    throw new ServiceError('path_invalid', 'A folder cannot be moved into itself.');
  return { from, to };
}

/** Begins the move, or follows the running one. Resolves once it is over, or after the wait. */
export async function followFolderMove(
  deps: RequestDeps,
  { caller, from, to }: MoveRequest,
  waitMs: number,
): Promise<MoveProgress> {
  requirePathScope(caller.scopes, from);
  requirePathScope(caller.scopes, to);
  const request = { caller, from, to, type: chooseType(caller.scopes, null) };
  const move = await findOrBegin(deps, request);
  const last = await followUntil(deps, move, performance.now() + waitMs);
  if (last.endedAt !== null && !last.isTold)
    await deps.store.write(({ folderMoves }) => folderMoves.markTold(last.id));
  const { total, moved, failed, reasons, endedAt } = last;
  return { total, moved, failed, reason: reasons[0] ?? null, isOver: endedAt !== null };
}

async function findOrBegin(deps: RequestDeps, request: Request): Promise<FolderMove> {
  const { slug } = request.caller.project;
  const known = await findSame(deps, deps.store.read, request);
  // Follows a running move. Reports an ended one first if no response has done so yet.
  if (known !== null && (known.endedAt === null || !known.isTold)) return known;
  const total = await countWaiting(deps, { ...request, project: slug });
  if (total > 0) return await begin(deps, request, total);
  if (known !== null) return known;
  throw noFileError('There is no such folder, or it is empty.');
}

/** Finds the latest such move, unless it ended too long ago. */
async function findSame(
  { clock }: Pick<RequestDeps, 'clock'>,
  { folderMoves }: Pick<Records, 'folderMoves'>,
  { caller, from, to, type }: Request,
): Promise<FolderMove | null> {
  const moves = await folderMoves.list(caller.project.slug);
  const same = moves.findLast(move => move.from === from && move.to === to && move.type === type);
  const isKnown = same !== undefined && (same.endedAt ?? clock.now()) > clock.now() - rememberedMs;
  return isKnown ? same : null;
}

/** Stores the move, one request at a time across all nodes. Once this resolves, the move and its audit log entry are durable. */
async function begin(deps: RequestDeps, request: Request, total: number): Promise<FolderMove> {
  const now = deps.clock.now();
  const { caller, from, to, type } = request;
  const asker =
    caller.kind === 'user'
      ? ({ askerKind: 'user', askerId: caller.user.id } as const)
      : ({ askerKind: 'token', askerId: caller.id } as const);
  const move: FolderMove = {
    id: newSortableId(now),
    project: caller.project.slug,
    from,
    to,
    type,
    ...asker,
    createdAt: now,
    total,
    moved: 0,
    failed: 0,
    reasons: [],
    tries: 0,
    endedAt: null,
    isTold: false,
    ...deps.folderMover.offerClaim(),
  };
  const accepted = await deps.store.manage(async records => {
    const same = await findSame(deps, records, request);
    if (same !== null && same.endedAt === null) return same; // another caller asked at the same moment
    await records.folderMoves.forgetEnded(now - rememberedMs);
    await endUndone(records, move);
    await requireFew(records, move.project);
    await records.folderMoves.insert(move);
    const line = { project: move.project, action: 'folder.move', target: from } as const;
    if (caller.kind === 'user')
      await recordAudit(records, { actor: caller, now }, { ...line, details: { to, files: total } });
    return move;
  });
  if (accepted === move && move.holder !== '') deps.folderMover.start(move);
  return accepted;
}

/** Ends the moves that this one reverses; they would move the same files back again. */
async function endUndone({ folderMoves }: Records, move: FolderMove): Promise<void> {
  for (const other of await folderMoves.list(move.project)) {
    const isReverse = other.from === move.to && other.to === move.from;
    if (!isReverse || other.endedAt !== null) continue;
    if (move.type !== null && move.type !== other.type) continue;
    await folderMoves.end(other.id, {
      endedAt: move.createdAt,
      reason: 'Someone is moving the folder back.',
    });
  }
}

async function requireFew({ folderMoves }: Records, project: string): Promise<void> {
  const running = (await folderMoves.list(project)).filter(({ endedAt }) => endedAt === null);
  if (running.length < movesMax) return;
  throw new ServiceError('overloaded', 'Too many folders are being moved; wait for one of them.', {
    retryAfterSeconds: 10,
  });
}

/** Polls until the move is over. If this process runs it, waits for it instead. */
async function followUntil(deps: RequestDeps, move: FolderMove, until: number): Promise<FolderMove> {
  let last = move;
  for (;;) {
    const leftMs = until - performance.now();
    if (last.endedAt !== null || leftMs <= 0 || deps.folderMover.isStopping()) return last;
    const { ended } = deps.folderMover.find(move.id) ?? { ended: null };
    await (ended === null
      ? wait(Math.min(leftMs, pollMs), null, { ref: false })
      : Promise.race([ended, wait(leftMs, null, { ref: false })]));
    const found = await deps.store.read.folderMoves.find(move.id);
    if (found === null) return last; // it ended over a minute ago and was removed
    last = found;
  }
}
