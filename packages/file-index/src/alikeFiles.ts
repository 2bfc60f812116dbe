/** Finds the files of a block that have the folder, name and size of given ones. Compares sizes first, and names only where a size matches. */
import { type Block, positionOf } from './block.ts';

export type FileIdentity = { path: string; filename: string; sizeBytes: number };

export class AlikeFiles {
  readonly #bySize = new Map<number, Set<string>>();

  constructor(files: readonly FileIdentity[]) {
    for (const { path, filename, sizeBytes } of files) {
      const names = this.#bySize.get(sizeBytes) ?? new Set();
      this.#bySize.set(sizeBytes, names.add(joinName(path, filename)));
    }
  }

  /** Returns positions, newest first. */
  find({ columns, deleted }: Block): number[] {
    const positions: number[] = [];
    const { names, shared, numbers } = columns;
    for (let index = columns.count - 1; index >= 0; index--) {
      const alike = this.#bySize.get(numbers.size[index] ?? -1);
      if (alike === undefined || deleted?.[index] === 1) continue;
      const path = shared.path.texts.plain(shared.path.ids[index] ?? 0);
      if (alike.has(joinName(path, names.plain(index)))) positions.push(positionOf(columns, index));
    }
    return positions;
  }
}

/** Paths and file names never hold the separator. */
function joinName(path: string, filename: string): string {
  return `${path}\0${filename}`;
}
