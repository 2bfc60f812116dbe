/**
 * Inserts a segment into a shard. Leaves out entries that were deleted while they waited, and rows that an earlier,
 * uncertain insert has already stored.
 */

import type { Segment } from '../../journal/journal.ts';
import type { PendingDeletion } from '../../journal/pendingDeletions.ts';
import type { Logger } from '../../logger.ts';
import type { Agents, Endpoint } from '../engine/requests.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import type { InsertedTexts } from '../inserted/insertedTexts.ts';
import { divideSegment, dropDeleted } from './deletedRows.ts';
import { InsertError, insertBlocks, insertMissing } from './insert.ts';
import { hasWholeBlocks, readBlocks, splitSegment } from './segmentBlocks.ts';

export type InsertDeps = {
  log: Logger;
  agents: Agents;
  /** Deletions by other nodes; null if no other node deletes. Rejects when they are unknown. */
  deletions: { find(segment: Segment): Promise<PendingDeletion[]> } | null;
  /** Rejects if the server has lost its data, and with it what was just inserted. */
  confirm(access: EngineAccess): Promise<void>;
  /** Remembers what whole inserts contain; null or absent if no query uses them. */
  inserted?: InsertedTexts | null | undefined;
  /** Called after each insert has ended. */
  onInsert?: ((insert: EndedInsert) => void) | undefined;
};

/** `startedAt` by `performance.now()`. */
export type EndedInsert = {
  startedAt: number;
  attributes: { rows: number; bytes: number };
  hasFailed: boolean;
};

/**
 * `until`: a statement that begins later, by the shard's own clock, has no effect, and no two of the segment run at once.
 * Null if no other node can insert the segment.
 */
type Inserting = { segment: Segment; until: number | null };

/** Resolves once the rows are visible and synced, and the server has confirmed that it lost nothing. */
export async function insertSegment(
  deps: InsertDeps,
  access: EngineAccess,
  inserting: Inserting,
): Promise<void> {
  if (deps.onInsert === undefined) return insertWhole(deps, access, inserting);
  const startedAt = performance.now();
  const { rows, blockBytes: bytes } = inserting.segment;
  let hasFailed = true;
  try {
    await insertWhole(deps, access, inserting);
    hasFailed = false;
  } finally {
    deps.onInsert({ startedAt, attributes: { rows, bytes }, hasFailed });
  }
}

async function insertWhole(deps: InsertDeps, access: EngineAccess, inserting: Inserting): Promise<void> {
  const { deletions, confirm } = deps;
  const { segment } = inserting;
  const { isUncertain } = segment;
  if (isUncertain) await checkBlocks(deps, segment);
  if (segment.blockBytes === 0) return;
  const due = (await deletions?.find(segment)) ?? [];
  const endpoint = access.endpoint();
  if (endpoint === null) throw new InsertError('The log engine is not running.');
  segment.isUncertain = true; // until the answer arrives
  if (due.length > 0) await sendRest(deps, endpoint, { ...inserting, due });
  else await send(deps, endpoint, { ...inserting, isUncertain });
  await confirm(access);
  // Drops rows deleted since, perhaps before the insert began, and rows that an earlier insert may have stored.
  const dueNow = (await deletions?.find(segment)) ?? [];
  const isKnown = ({ deletedAt }: PendingDeletion) => due.some(known => known.deletedAt === deletedAt);
  if (dueNow.length > 0 && (isUncertain || !dueNow.every(isKnown)))
    await dropDeleted(access, segment, dueNow);
}

async function send(
  { agents, inserted }: InsertDeps,
  endpoint: Endpoint,
  { segment, until, isUncertain }: Inserting & { isUncertain: boolean },
): Promise<void> {
  const { range } = segment;
  const blocks = readBlocks(segment);
  const insert = { name: nameInsert(segment), range, until, blocks };
  try {
    if (isUncertain) return await insertMissing(agents, endpoint, insert);
    const watched = hasWholeBlocks(segment) ? await inserted?.watch() : null;
    await insertBlocks(agents, endpoint, { ...insert, blocks: watched?.read(blocks) ?? blocks });
    await watched?.finish();
  } catch (error) {
    if (!(error instanceof InsertError && error.isOutOfMemory)) throw error;
    // An insert that does not fit into the engine's memory now may never fit; smaller pieces take less.
    for (const [index, piece] of splitSegment(segment).entries()) {
      const name = namePiece(segment, { index, until });
      const blocks = readBlocks(piece);
      await insertMissing(agents, endpoint, { name, range, until, blocks, isPiece: true });
    }
  }
}

/** Sends only entries that were not deleted while they waited. Sends them in pieces, because this is rare. */
async function sendRest(
  { agents }: InsertDeps,
  endpoint: Endpoint,
  { segment, until, due }: Inserting & { due: readonly PendingDeletion[] },
): Promise<void> {
  const { range } = segment;
  const pieces = divideSegment(segment, due).flatMap(({ segment: part, deletions }) =>
    splitSegment(part).map(piece => ({ piece, without: deletions })),
  );
  for (const [index, { piece, without }] of pieces.entries()) {
    const name = namePiece(segment, { index, until });
    const blocks = readBlocks(piece);
    await insertMissing(agents, endpoint, { name, range, until, blocks, without, isPiece: true });
  }
}

/** Returns the name under which the engine lists the segment's insert. */
export function nameInsert({ name }: Pick<Segment, 'name'>): string {
  return `tapedeck-${name}`;
}

/** The engine runs one statement of a name at a time. If other nodes may insert the same, pieces share the name of the whole. */
function namePiece(segment: Segment, { index, until }: { index: number; until: number | null }): string {
  return until === null ? `${nameInsert(segment)}-${index}` : nameInsert(segment);
}

async function checkBlocks({ log }: InsertDeps, segment: Segment): Promise<void> {
  const dropped = await segment.dropDamaged();
  if (dropped === 0) return;
  log.error({ segment: segment.name, dropped }, 'groups of entries in the journal are damaged and lost');
}
