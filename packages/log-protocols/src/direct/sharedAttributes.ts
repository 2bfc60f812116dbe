/** Writes attributes that several entries share once. An entry without fields of the same names takes them unchanged. */

import { entryLimits } from '@tapedeck/log-entries';
import { flattenMetadata } from '@tapedeck/log-entries/direct';
import { isObject } from '@tapedeck/values/json';
import type { SharedAttributes } from '../reading/fields.ts';
import { type DirectName, type DirectWriter, nameDirectly, spendWork } from './writer.ts';

export type DirectAttributes<Sorted> = {
  readonly sorted: Sorted;
  readonly leaves: readonly { readonly path: DirectName; readonly value: DirectName }[];
  /** Hashes of names that force an entry to be sorted separately. */
  readonly clashing: ReadonlySet<number>;
  /** Hashes of the first parts of dotted names. */
  readonly heads: ReadonlySet<number>;
  /** Hashes of the first parts of names whose values are containers. */
  readonly containers: ReadonlySet<number>;
};

class NotPlain extends Error {}

/** Returns null if the attributes are not plain. */
export function writeOut<Sorted>(around: SharedAttributes<Sorted>): DirectAttributes<Sorted> | null {
  const { sorted, metadata } = around.join({});
  const leaves = listLeaves(metadata);
  if (leaves === null) return null;
  const names = Object.keys(metadata);
  const headOf = (name: string) => nameDirectly(name.split('.', 1).join()).hash;
  return {
    sorted,
    leaves: leaves.map(([path, value]) => ({ path: nameDirectly(path), value: nameDirectly(value) })),
    clashing: new Set(around.listClashing().map(name => nameDirectly(name).hash)),
    heads: new Set(names.filter(name => name.includes('.')).map(headOf)),
    containers: new Set(names.filter(name => isContainer(metadata[name])).map(headOf)),
  };
}

function isContainer(value: unknown): boolean {
  return isObject(value) || Array.isArray(value);
}

function listLeaves(metadata: Record<string, unknown>): (readonly [string, string])[] | null {
  const leaves: (readonly [string, string])[] = [];
  try {
    flattenMetadata(
      {
        addLeaf: (path, value) => void leaves.push([path, value]),
        fail: () => {
          throw new NotPlain();
        },
      },
      metadata,
    );
  } catch (error) {
    if (error instanceof NotPlain) return null;
    throw error;
  }
  return leaves;
}

/** Writes the attributes after the entry's own. Returns false if the entry has a field of the same name. */
export function joinDirect<Sorted>(
  { leaves: own, task }: DirectWriter,
  { leaves, clashing, heads, containers }: DirectAttributes<Sorted>,
): boolean {
  const { keys } = own;
  for (let at = 0; at < keys.seenLength; at++) if (clashing.has(keys.seen[at]!)) return false;
  for (const head of keys.heads) if (containers.has(head)) return false;
  for (const container of keys.containers)
    if (heads.has(container) || containers.has(container)) return false;
  own.count += leaves.length;
  if (own.count > entryLimits.metadataLeavesMax) return false;
  const { batch } = task.sink;
  for (const { path, value } of leaves) batch.addEncodedLeaf(path.slice, value.slice);
  return true;
}

const knownMax = 256; // for a few attribute sets per sending program
const madeWork = 250; // takes about ten microseconds, plus more for the length
const keyUnitsMax = 1024; // keeping longer ones costs more than it saves

/** Caches attributes by their bytes: senders repeat the same ones in each request. */
export class KnownAttributes<Sorted> {
  readonly #known = new Map<string, DirectAttributes<Sorted> | null>();

  find(
    writer: DirectWriter,
    bytes: string,
    make: () => DirectAttributes<Sorted> | null,
  ): DirectAttributes<Sorted> | null {
    const found = this.#known.get(bytes);
    if (found !== undefined) return found;
    if (!spendWork(writer, madeWork + bytes.length)) return null;
    const made = make();
    if (this.#known.size === knownMax) this.#known.clear();
    if (bytes.length <= keyUnitsMax) this.#known.set(bytes, made);
    return made;
  }
}
