/** Computes the SHA-256 of uploads as their bytes arrive. At the end it reads the bytes that this process hasn't seen. */
import { createHash, type Hash } from 'node:crypto';

type Sum = { hash: Hash; sizeBytes: number };

const sumsMax = 1000; // half a kilobyte each; an evicted one is computed again

export class Sums {
  readonly #sums = new Map<string, Sum>();

  /** Adds bytes that start at `position`. */
  add(id: string, position: number, chunk: Uint8Array): void {
    const sum = position === 0 ? this.#begin(id) : this.#sums.get(id);
    if (sum === undefined) return;
    if (sum.sizeBytes === position) {
      sum.hash.update(chunk);
      sum.sizeBytes += chunk.length;
    } else this.#sums.delete(id);
  }

  /** Drops the sum if it covers bytes that weren't stored. */
  keepOnly(id: string, sizeBytes: number): void {
    if (this.#sums.get(id)?.sizeBytes !== sizeBytes) this.#sums.delete(id);
  }

  /** Returns hexadecimal digits. `read` returns the bytes from a position to the end. */
  async finish(id: string, read: (position: number) => Promise<AsyncIterable<Uint8Array>>): Promise<string> {
    const { hash, sizeBytes } = this.#sums.get(id) ?? this.#begin(id);
    this.#sums.delete(id);
    for await (const chunk of await read(sizeBytes)) hash.update(chunk);
    return hash.digest('hex');
  }

  forget(id: string): void {
    this.#sums.delete(id);
  }

  #begin(id: string): Sum {
    this.#sums.delete(id);
    if (this.#sums.size >= sumsMax) this.#sums.delete(this.#sums.keys().next().value ?? '');
    const sum = { hash: createHash('sha256'), sizeBytes: 0 };
    this.#sums.set(id, sum);
    return sum;
  }
}
