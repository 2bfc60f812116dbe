/** Sends imported entries in batches. Stores each entry once, even if the importer is killed in between. */

import { entryLimits, formatMicros } from '@tapedeck/log-entries';
import { readLevel } from '@tapedeck/log-query-language';
import type { JsonObject } from '@tapedeck/values/json';
import { traceIdPath } from './importedEntries.ts';
import type { ImportState } from './importState.ts';
import { sendOnce } from './pendingBatch.ts';
import type { Remote } from './remote.ts';
import type { SourceEntry } from './sourceShapes.ts';

const batchEntriesMax = 2_000;
const batchBytesMax = 1024 * 1024; // far below the service's limit

/** `parentId`: the parent's id at the destination; null: the parent is not there. */
export type ReadyEntry = { entry: SourceEntry; parentId: string | null };

export type Refusal = { id: string; sentence: string };

/** Resolves to the refused entries. */
export async function sendEntries(
  { remote, folder }: { remote: Remote; folder: ImportState },
  dataset: string,
  entries: readonly ReadyEntry[],
): Promise<Refusal[]> {
  const refused: Refusal[] = [];
  for (const batch of divide(entries)) {
    let rest = batch;
    while (rest.length > 0) {
      const body = `[${rest.map(({ text }) => text).join(',')}]`;
      const query = { dataset };
      const error = await sendOnce(remote, folder, {
        path: '/api/v3/logs',
        query,
        type: 'application/json',
        body,
      });
      if (error === null) break;
      const wrong = rest[error.index ?? 0];
      if (wrong === undefined) throw error;
      refused.push({ id: wrong.id, sentence: error.message });
      rest = rest.filter(each => each !== wrong);
    }
  }
  return refused;
}

type Written = { id: string; text: string };

function divide(entries: readonly ReadyEntry[]): Written[][] {
  const batches: Written[][] = [];
  let batch: Written[] = [];
  let bytes = 0;
  for (const ready of entries) {
    const text = JSON.stringify(writeItem(ready));
    const textBytes = Buffer.byteLength(text);
    if (batch.length === batchEntriesMax || bytes + textBytes > batchBytesMax) {
      batches.push(batch);
      [batch, bytes] = [[], 0];
    }
    batch.push({ id: ready.entry.traceId, text });
    bytes += textBytes;
  }
  return [...batches, batch].filter(each => each.length > 0);
}

function writeItem({ entry, parentId }: ReadyEntry) {
  const { traceId, level, resource, body, metadata, micros } = entry;
  const known = readLevel(level);
  return {
    level: known ?? 'info',
    message: body,
    ...(resource !== '' && { resource }),
    ...(micros !== null && { timestamp: formatMicros(micros) }),
    ...(parentId !== null && parentId !== '' && { parentId }),
    metadata: addOrigin(
      { ...(known === null && level !== '' && { level }), ...metadata },
      { [traceIdPath]: traceId, ...(parentId === null && { 'imported.parentId': entry.parentId }) },
    ),
  };
}

/** Adds where the entry comes from. If it has no values to spare, its shortest ones become one text, so that all of them stay. */
function addOrigin(metadata: JsonObject, origin: JsonObject): JsonObject {
  const surplus = Object.keys({ ...metadata, ...origin }).length - entryLimits.metadataLeavesMax;
  if (surplus <= 0) return { ...metadata, ...origin };
  const shortestFirst = Object.entries(metadata)
    .filter(([name]) => !Object.hasOwn(origin, name))
    .toSorted((one, other) => measure(one) - measure(other));
  const joined = shortestFirst.slice(0, surplus + 1);
  const kept = Object.fromEntries(shortestFirst.slice(surplus + 1));
  return { ...kept, ...origin, 'imported.more': JSON.stringify(Object.fromEntries(joined)) };
}

function measure([name, value]: [string, unknown]): number {
  return name.length + String(value).length;
}
