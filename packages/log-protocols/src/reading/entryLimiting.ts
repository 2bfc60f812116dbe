/** Makes entries fit the limits when the sender cannot receive an error: syslog and Fluentd have no such answer. */
import { addFitted, entryLimits, FittedMetadata, finishFitted } from '@tapedeck/log-entries';
import { isLonger } from '@tapedeck/values/json';

/** How far an entry's time may lie in the future. A later time becomes metadata. */
export const aheadMsMax = 86_400_000;

type Sent = {
  message: string;
  resource: string;
  metadata: Record<string, unknown>;
  /** Bytes of the message that were not read. */
  unreadBytes?: number;
  /** Metadata values that were not read. */
  leftOut?: number;
};
type Fitting = Pick<Sent, 'message' | 'resource' | 'metadata'>;

/** Returns a fitting entry unchanged. Otherwise shortens long values, drops surplus ones, and notes this in the metadata. */
export function fitEntry(sent: Sent): Fitting {
  const { message, resource, metadata, unreadBytes = 0, leftOut = 0 } = sent;
  const fits =
    unreadBytes === 0 &&
    leftOut === 0 &&
    !isLonger(message, entryLimits.messageBytesMax) &&
    !isLonger(resource, entryLimits.nameBytesMax) &&
    countLeaves(metadata, 0, 0) <= entryLimits.metadataLeavesMax;
  if (fits) return { message, resource, metadata };
  const fitted = new FittedMetadata();
  for (const name in metadata) addFitted(fitted, name, metadata[name]);
  fitted.leftOut += leftOut;
  return finishEntry({ message, resource, unreadBytes }, fitted);
}

/** Like `fitEntry`, for metadata that already fits. */
export function finishEntry(texts: Omit<Sent, 'metadata' | 'leftOut'>, fitted: FittedMetadata): Fitting {
  const { message, resource, metadata } = finishFitted(texts, fitted);
  return { message, resource, metadata: repairHalves(metadata) };
}

/** Replaces unpaired surrogates, which entries may not hold. */
function repairHalves(metadata: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [name.toWellFormed(), value.toWellFormed()]),
  );
}

/** Returns Infinity if something is too long or too deep, or holds an unpaired surrogate. */
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
