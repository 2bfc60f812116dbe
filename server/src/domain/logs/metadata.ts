/** Flattens the `metadata` of an entry: dotted paths, every value as text. */
import { limits } from '../../vocabulary.ts';

/** Where the leaves go, and how a failure is told: the sentence continues the name of the entry. */
export type LeafSink = { addLeaf(path: string, value: string): void; fail(sentence: string): never };

type JsonObject = Record<string, unknown>;

const utf8BytesPerUnitMax = 3;

/** An absent object, and an empty array, hold nothing: some languages write their empty table as `[]`. */
export function flattenMetadata(sink: LeafSink, metadata: unknown): void {
  if (metadata === undefined || metadata === null) return;
  if (typeof metadata !== 'object') sink.fail('metadata must be an object.');
  if (Array.isArray(metadata)) {
    if (metadata.length > 0) sink.fail('metadata must be an object, not an array.');
    return;
  }
  const object = metadata as JsonObject; // what JSON knows beside arrays
  if (isFlat(object)) addFlat(sink, object);
  else addNested(sink, object);
}

/** Most metadata are: then no path can occur twice, and none has to be put together. */
function isFlat(object: JsonObject): boolean {
  for (const key in object) {
    const value = object[key];
    if (typeof value === 'object' && value !== null) return false;
  }
  return true;
}

function addFlat(sink: LeafSink, object: JsonObject): void {
  let leaves = 0;
  for (const key in object) {
    requireCount(sink, ++leaves);
    addLeaf(sink, key, object[key]);
  }
}

/** A key that contains dots may spell the path of another: the last one counts, as it does for equal keys in JSON. */
function addNested(sink: LeafSink, object: JsonObject): void {
  const leaves = new Map<string, unknown>();
  collectLeaves(object, { prefix: '', depth: 1, leaves, sink });
  for (const [path, value] of leaves) addLeaf(sink, path, value);
}

type Collection = { prefix: string; depth: number; leaves: Map<string, unknown>; sink: LeafSink };

function collectLeaves(container: JsonObject, collection: Collection): void {
  const { prefix, depth, leaves, sink } = collection;
  if (depth > limits.logMetadataDepthMax) {
    sink.fail(`metadata may be nested at most ${limits.logMetadataDepthMax} levels deep.`);
  }
  for (const key in container) {
    const value = container[key];
    const path = prefix + key;
    if (typeof value === 'object' && value !== null) {
      // Arrays and objects alike, which is all that JSON has: the keys of an array are its indexes.
      collectLeaves(value as JsonObject, { ...collection, prefix: `${path}.`, depth: depth + 1 });
    } else {
      leaves.set(path, value);
      requireCount(sink, leaves.size);
    }
  }
}

function requireCount(sink: LeafSink, leaves: number): void {
  if (leaves > limits.logMetadataLeavesMax) {
    sink.fail(`metadata may hold at most ${limits.logMetadataLeavesMax} values.`);
  }
}

function addLeaf(sink: LeafSink, path: string, value: unknown): void {
  const text = typeof value === 'string' ? value : String(value); // numbers as ECMAScript prints them
  if (isLonger(path, limits.logMetadataKeyBytesMax)) {
    sink.fail(
      `metadata has a key of more than ${limits.logMetadataKeyBytesMax} bytes: ${path.slice(0, 40)}…`,
    );
  }
  if (isLonger(text, limits.logMetadataValueBytesMax)) {
    sink.fail(`metadata.${path} may be at most ${limits.logMetadataValueBytesMax} bytes long.`);
  }
  sink.addLeaf(path, text);
}

/** Whether the text takes more bytes of UTF-8; counted only where its length leaves doubt. */
export function isLonger(text: string, bytesMax: number): boolean {
  return text.length * utf8BytesPerUnitMax > bytesMax && Buffer.byteLength(text) > bytesMax;
}
