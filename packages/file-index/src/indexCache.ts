/** Caches the indexes of searched projects, within one memory limit for all of them. */
import type { ProjectIndex } from './block.ts';

const keptBytesMax = 256 * 1024 * 1024; // a million files take about 200 MB
const bytesPerFile = 250; // with long names or much metadata
const idleMs = 15 * 60_000; // longer than a user looks at a page

/** Evicts the least recently used indexes first. */
export class KeptIndexes {
  readonly #kept = new Map<string, { index: ProjectIndex; bytes: number; timer: NodeJS.Timeout }>();

  find(project: string): ProjectIndex | null {
    return this.#kept.get(project)?.index ?? null;
  }

  keep(project: string, index: ProjectIndex): void {
    this.#forget(project);
    const bytes = index.blocks.values().reduce((sum, { columns }) => sum + columns.bytes, 0);
    const timer = setTimeout(() => this.#forget(project), idleMs).unref();
    this.#kept.set(project, { index, bytes, timer });
    let sum = this.#kept.values().reduce((before, one) => before + one.bytes, 0);
    for (const [other, { bytes: freed }] of this.#kept) {
      if (sum <= keptBytesMax) return;
      this.#forget(other);
      sum -= freed;
    }
  }

  /** True if an index of so many files fits without evicting another. */
  hasSpaceFor(files: number): boolean {
    const usedBytes = this.#kept.values().reduce((sum, { bytes }) => sum + bytes, 0);
    return usedBytes + files * bytesPerFile <= keptBytesMax;
  }

  #forget(project: string): void {
    clearTimeout(this.#kept.get(project)?.timer);
    this.#kept.delete(project);
  }
}
