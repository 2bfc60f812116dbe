/** Entries of old clients, mended rather than refused (CONTRACT.md, 6 and 8.4), as items of V3. */
import { type LogLevel, limits } from '../../../vocabulary.ts';
import { isObject } from '../../jsonObjects.ts';
import { cutText } from '../../textLengths.ts';
import type { TimeRange } from './items.ts';
import { type LevelSynonyms, readLevelSynonym } from './levels.ts';
import { addMended, type MendedMetadata, toText } from './mending.ts';
import { readTimestampMicros } from './timestamps.ts';

export type LegacyItem = {
  level: LogLevel;
  message: string;
  resource: string;
  parentId: string;
  metadata: Record<string, string>;
  timestamp?: unknown;
};

export type MendingRules = { range: TimeRange; levelSynonyms: LevelSynonyms };

/** Takes one object or an array. Skips items that are no objects, and items beyond the limit. */
export function findLegacyItems(body: unknown): object[] {
  const found: object[] = [];
  for (const item of Array.isArray(body) ? body : [body]) {
    if (found.length === limits.legacyBatchItemsMax) break;
    if (isObject(item)) found.push(item);
  }
  return found;
}

/** Callers mend one item at a time: a mended item is far larger than the two bytes that it may have been sent as. */
export function mendItem(
  item: Readonly<Record<string, unknown>>,
  { range, levelSynonyms }: MendingRules,
): LegacyItem {
  const metadata: MendedMetadata = new Map();
  const level = readLevelSynonym(levelSynonyms, item.level);
  const keepLevel = () => {
    if (level === null && toText(item.level) !== '') addMended(metadata, 'level', toText(item.level));
  };
  keepLevel(); // first, so that it is not what is left out when there is too much
  const given = item.metadata;
  if (typeof given === 'object') addMended(metadata, '', given ?? {});
  else if (given !== undefined && given !== '') addMended(metadata, 'metadata', given);
  keepLevel(); // and again, in case the metadata has a level of its own
  const mended = {
    level: level ?? 'info',
    message: cutText(toText(item.message), limits.logMessageBytesMax),
    resource: cutText(toText(item.resource), limits.logNameBytesMax),
    parentId: cutText(toText(item.parentId), limits.logNameBytesMax),
    metadata: Object.fromEntries(metadata),
  };
  const micros = readTimestampMicros(item.timestamp);
  const isTaken = micros !== null && micros >= range.fromMicros && micros <= range.toMicros;
  return isTaken ? { ...mended, timestamp: item.timestamp } : mended;
}
