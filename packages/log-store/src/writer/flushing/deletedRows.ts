/**
 * Keeps entries out of the engine that were deleted while they waited in the journal. Removes those that came in after all,
 * because an insert may have begun just before the deletion was recorded.
 */

import { type BlockRow, readBlockRows } from '../../blocks/nativeMerging.ts';
import type { Segment } from '../../journal/journal.ts';
import { appliesTo, type PendingDeletion } from '../../journal/pendingDeletions.ts';
import { Binder, bindMicros, runCommand } from '../engine/statements.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { endBackfilling } from '../schema/mutations.ts';
import { localTable } from '../schema/schema.ts';
import { cutOut, readBlocks } from './segmentBlocks.ts';

/** Consecutive blocks, with the deletions that apply to all of them. */
type SegmentPart = { segment: Segment; deletions: readonly PendingDeletion[] };

export function divideSegment(segment: Segment, due: readonly PendingDeletion[]): SegmentPart[] {
  const parts: SegmentPart[] = [];
  const { writtenAts } = segment.extents;
  for (let first = 0; first < writtenAts.length; ) {
    const deletions = due.filter(deletion => appliesTo(deletion, writtenAts[first]!));
    let end = first + 1;
    while (end < writtenAts.length && due.every(isAlikeAt(writtenAts[first]!, writtenAts[end]!))) end++;
    parts.push({ segment: cutOut(segment, first, end), deletions });
    first = end;
  }
  return parts;
}

function isAlikeAt(one: number, other: number): (deletion: PendingDeletion) => boolean {
  return deletion => appliesTo(deletion, one) === appliesTo(deletion, other);
}

const identitiesPerStatement = 1_000; // they are part of the request's URL

/** Resolves once no query finds the deleted rows of the segment. */
export async function dropDeleted(
  access: EngineAccess,
  segment: Segment,
  due: readonly PendingDeletion[],
): Promise<void> {
  for (const part of divideSegment(segment, due)) {
    for (const { project, dataset } of part.deletions) {
      const rows: BlockRow[] = [];
      for await (const block of readWholeBlocks(part.segment)) {
        for (const row of readBlockRows(block)) {
          if (row.project === project && (dataset ?? row.dataset) === row.dataset) rows.push(row);
        }
      }
      for (let at = 0; at < rows.length; at += identitiesPerStatement)
        await markRowsDeleted(access, project, rows.slice(at, at + identitiesPerStatement));
    }
  }
}

/** Reads each block whole; elsewhere, large blocks are read in pieces. */
async function* readWholeBlocks(segment: Segment): AsyncGenerator<Buffer> {
  for (let index = 0; index < segment.extents.offsets.length; index++) {
    const pieces = await Array.fromAsync(readBlocks(cutOut(segment, index, index + 1)));
    yield Buffer.concat(pieces);
  }
}

async function markRowsDeleted(
  access: EngineAccess,
  project: string,
  rows: readonly BlockRow[],
): Promise<void> {
  const binder = new Binder();
  const datasets = [...new Set(rows.map(({ dataset }) => dataset))];
  const times = rows.map(({ micros }) => micros);
  const least = times.reduce((one, other) => Math.min(one, other));
  const most = times.reduce((one, other) => Math.max(one, other));
  const identities = `[${rows.map(({ identity }) => identity).join(',')}]`;
  const sql = `DELETE FROM ${localTable}
    WHERE project = ${binder.bind('String', project)} AND dataset IN ${binder.bindWords(datasets)}
    AND timestamp BETWEEN ${bindMicros(least, binder)} AND ${bindMicros(most, binder)}
    AND identity IN ${binder.bind('Array(UInt64)', identities)}
    SETTINGS lightweight_deletes_sync = 2`;
  await endBackfilling(access);
  await runCommand(access, sql, { parameters: binder.parameters });
}
