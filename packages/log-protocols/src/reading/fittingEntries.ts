/** Makes entries fit the limits where nobody could be told of a refusal: senders of syslog and Fluentd would never know. */
import { addMended, entryLimits, type MendedMetadata } from '@tapedeck/log-entries';
import { isLonger } from '@tapedeck/values/json';

/** How far entries may lie in the future. A later time becomes metadata. */
export const aheadMsMax = 86_400_000;

/** Returns the same metadata where it fits. Otherwise long values are cut and surplus ones left out. */
export function fitMetadata(metadata: Record<string, unknown>): Record<string, unknown> {
  if (countLeaves(metadata, 0, 0) <= entryLimits.metadataLeavesMax) return metadata;
  const mended: MendedMetadata = new Map();
  for (const name in metadata) addMended(mended, name, metadata[name]);
  return repairHalves(mended);
}

/** Puts a replacement character in place of half a pair of surrogates, which no entry may hold. */
export function repairHalves(metadata: MendedMetadata): Record<string, string> {
  return Object.fromEntries(
    Array.from(metadata, ([name, value]) => [name.toWellFormed(), value.toWellFormed()]),
  );
}

/** Infinity: something is too long or too deep, or holds half a pair of surrogates. */
function countLeaves(value: unknown, pathBytes: number, depth: number): number {
  if (typeof value === 'string')
    return isLonger(value, entryLimits.metadataValueBytesMax) || !value.isWellFormed()
      ? Number.POSITIVE_INFINITY
      : 1;
  if (typeof value !== 'object' || value === null) return 1;
  if (depth >= entryLimits.metadataDepthMax) return Number.POSITIVE_INFINITY;
  let leaves = 0;
  for (const [name, inner] of Object.entries(value)) {
    const innerBytes = pathBytes + (depth > 0 ? 1 : 0) + Buffer.byteLength(name);
    if (innerBytes > entryLimits.metadataKeyBytesMax || !name.isWellFormed()) return Number.POSITIVE_INFINITY;
    leaves += countLeaves(inner, innerBytes, depth + 1);
    if (leaves > entryLimits.metadataLeavesMax) return leaves;
  }
  return leaves;
}
