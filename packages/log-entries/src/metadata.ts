/** Flattens the `metadata` of an entry into dotted paths and text values. */
import { halfPairSentence, isLonger } from '@tapedeck/values/json';
import { entryLimits } from './limits.ts';

/** Receives the leaves. `fail` throws an error that names the field and says what is wrong. */
export type LeafSink = {
  addLeaf(path: string, value: string): void;
  fail(field: string, sentence: string): never;
};

type JsonObject = Record<string, unknown>;

/** Passes the leaves to the sink. Accepts an empty array as empty metadata: some languages write their empty table as `[]`. */
export function flattenMetadata(sink: LeafSink, metadata: unknown): void {
  if (metadata === undefined || metadata === null) return;
  if (typeof metadata !== 'object') sink.fail('metadata', 'must be an object.');
  if (Array.isArray(metadata)) {
    if (metadata.length > 0) sink.fail('metadata', 'must be an object, not an array.');
    return;
  }
  const object = metadata as JsonObject; // every other JSON value is ruled out above
  if (mayRepeatPaths(object, false)) addOnce(sink, object);
  else walkLeaves({ take: (path, leaf) => addLeaf(sink, path, leaf), sink, leaves: 0 }, object, top);
}

type Place = { prefix: string; depth: number };
type Walk = { take(path: string, value: unknown): void; sink: LeafSink; leaves: number };

const top: Place = { prefix: '', depth: 1 };

function isContainer(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null; // also true for arrays, whose keys are their indexes
}

function walkLeaves(walk: Walk, container: JsonObject, { prefix, depth }: Place): void {
  if (depth > entryLimits.metadataDepthMax) {
    walk.sink.fail('metadata', `may be nested at most ${entryLimits.metadataDepthMax} levels deep.`);
  }
  for (const key in container) {
    const value = container[key];
    const path = prefix === '' ? key : prefix + key;
    if (isContainer(value)) walkLeaves(walk, value, { prefix: `${path}.`, depth: depth + 1 });
    else {
      requireCount(walk.sink, ++walk.leaves);
      requireKeyLength(walk.sink, path);
      walk.take(path, value);
    }
  }
}

/**
 * Whether two leaves may have the same path because a key with dots spells a nested path. This is rare; otherwise the walk
 * need not remember paths.
 */
function mayRepeatPaths(container: JsonObject, isInside: boolean, depth = 1): boolean {
  let isNested = isInside;
  let isDotted = false;
  for (const key in container) {
    const value = container[key];
    if (isContainer(value)) {
      isNested = true;
      if (depth <= entryLimits.metadataDepthMax && mayRepeatPaths(value, true, depth + 1)) return true;
    }
    isDotted ||= key.includes('.');
  }
  return isNested && isDotted;
}

/** Adds each path once. The last value counts, as with equal keys in JSON. */
function addOnce(sink: LeafSink, object: JsonObject): void {
  const leaves = new Map<string, unknown>();
  walkLeaves({ take: (path, value) => leaves.set(path, value), sink, leaves: 0 }, object, top);
  for (const [path, value] of leaves) addLeaf(sink, path, value);
}

function requireCount(sink: LeafSink, leaves: number): void {
  if (leaves > entryLimits.metadataLeavesMax) {
    sink.fail('metadata', `may hold at most ${entryLimits.metadataLeavesMax} values.`);
  }
}

/** Must run before anything reads the path: every leaf below a huge key has a huge path. */
function requireKeyLength(sink: LeafSink, path: string): void {
  if (!isLonger(path, entryLimits.metadataKeyBytesMax)) return;
  sink.fail(
    'metadata',
    `has a key of more than ${entryLimits.metadataKeyBytesMax} bytes: ${path.slice(0, 40)}…`,
  );
}

function addLeaf(sink: LeafSink, path: string, value: unknown): void {
  const text = typeof value === 'string' ? value : String(value); // numbers as ECMAScript prints them
  if (!path.isWellFormed()) sink.fail('metadata', `has a key that ${halfPairSentence}`);
  if (!text.isWellFormed()) sink.fail(`metadata.${path}`, halfPairSentence);
  if (isLonger(text, entryLimits.metadataValueBytesMax)) {
    sink.fail(`metadata.${path}`, `may be at most ${entryLimits.metadataValueBytesMax} bytes long.`);
  }
  sink.addLeaf(path, text);
}
