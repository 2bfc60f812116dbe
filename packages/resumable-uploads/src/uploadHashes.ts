/** Computes the SHA-256 of uploads as their bytes arrive. At the end it reads the bytes that this process hasn't seen. */
import { createHash, type Hash } from 'node:crypto';

type UploadHash = { hash: Hash; sizeBytes: number };

const hashesMax = 1000; // half a kilobyte each; an evicted one is computed again

export class UploadHashes {
  readonly #hashes = new Map<string, UploadHash>();

  /** Adds bytes that start at `position`. */
  add(id: string, position: number, chunk: Uint8Array): void {
    const known = position === 0 ? this.#begin(id) : this.#hashes.get(id);
    if (known === undefined) return;
    if (known.sizeBytes === position) {
      known.hash.update(chunk);
      known.sizeBytes += chunk.length;
    } else this.#hashes.delete(id);
  }

  /** Drops the hash if it covers bytes that weren't stored. */
  keepOnly(id: string, sizeBytes: number): void {
    if (this.#hashes.get(id)?.sizeBytes !== sizeBytes) this.#hashes.delete(id);
  }

  /** Returns hexadecimal digits. `read` returns the bytes from a position to the end, which is at `sizeBytes`. */
  async finish(
    { id, sizeBytes }: { id: string; sizeBytes: number },
    read: (position: number) => Promise<AsyncIterable<Uint8Array>>,
  ): Promise<string> {
    const known = this.#hashes.get(id) ?? this.#begin(id);
    this.#hashes.delete(id);
    if (known.sizeBytes < sizeBytes)
      for await (const chunk of await read(known.sizeBytes)) known.hash.update(chunk);
    return known.hash.digest('hex');
  }

  forget(id: string): void {
    this.#hashes.delete(id);
  }

  #begin(id: string): UploadHash {
    this.#hashes.delete(id);
    if (this.#hashes.size >= hashesMax) this.#hashes.delete(this.#hashes.keys().next().value ?? '');
    const begun = { hash: createHash('sha256'), sizeBytes: 0 };
    this.#hashes.set(id, begun);
    return begun;
  }
}
