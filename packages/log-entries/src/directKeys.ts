/**
 * Tells keys of metadata apart that are walked without making values of them: whether one comes again, and whether two may
 * spell one path. Hashes decide: keys that look alike cost no more than others.
 */

export type PlainKeys = {
  /** Hash of the last key, and of its part before the first dot. */
  hash: number;
  headHash: number;
  hasPoint: boolean;
  /** JavaScript puts numbers before other keys. */
  hasDigitFirst: boolean;
  /** In the open containers. */
  seen: number[];
  seenLength: number;
  /** At the top: before the first point of those that have one, and of those that hold others. */
  heads: number[];
  containers: number[];
  mayRepeat: boolean;
};

const keysMax = 64; // of the open containers together; who sends more has them judged by metadata.ts
const hashFactor = 31;

export function createPlainKeys(): PlainKeys {
  return {
    hash: 0,
    headHash: 0,
    hasPoint: false,
    hasDigitFirst: false,
    seen: [],
    seenLength: 0,
    heads: [],
    containers: [],
    mayRepeat: false,
  };
}

/** Clears the keys for the next entry. */
export function forgetKeys(keys: PlainKeys): void {
  keys.seenLength = 0;
  keys.mayRepeat = false;
  if (keys.heads.length > 0) keys.heads.length = 0;
  if (keys.containers.length > 0) keys.containers.length = 0;
}

export function growHash(hash: number, byte: number): number {
  return (Math.imul(hash, hashFactor) + byte) | 0;
}

/** As keys are hashed that are read. */
export function hashKey(key: Buffer): number {
  return key.reduce(growHash, 0);
}

/** False for a key that may be there already, as the last one counts then, and for one that begins with a digit. */
export function noteKey(keys: PlainKeys, isTop: boolean, firstKey: number): boolean {
  const { hash, seen, seenLength } = keys;
  if (keys.hasDigitFirst || seenLength === keysMax) return false;
  for (let at = firstKey; at < seenLength; at++) if (seen[at] === hash) return false;
  seen[seenLength] = hash;
  keys.seenLength++;
  if (keys.hasPoint) noteHead(keys, isTop);
  return true;
}

function noteHead(keys: PlainKeys, isTop: boolean): void {
  if (isTop) keys.heads.push(keys.headHash);
  else keys.mayRepeat = true;
}

/** The key that was read last, at the top, is that of an object or array. */
export function noteContainer(keys: PlainKeys): void {
  if (keys.hasPoint) keys.mayRepeat = true;
  else keys.containers.push(keys.hash);
}

/** Whether two paths may be one, because a key with points spells the path of a nested one. */
export function mayRepeatPaths({ mayRepeat, heads, containers }: PlainKeys): boolean {
  if (mayRepeat) return true;
  return heads.length > 0 && containers.length > 0 && heads.some(head => containers.includes(head));
}
