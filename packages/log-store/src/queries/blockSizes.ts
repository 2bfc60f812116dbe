/**
 * Limits how many entries the engine reads at a time. Large blocks are fastest, but a condition on long bodies would hold thousands of them
 * in memory. So blocks shrink with the mean length of entries in the parts. If a project's entries are longer, a query may still run out of
 * memory. The runner then retries it with small blocks, which the project's queries also use for the next minutes.
 */
import { Failure } from '@tapedeck/values/failure';
import { EngineError } from '../writer/engine/requests.ts';
import type { EngineAccess } from '../writer/engine/supervision.ts';

const smallBlocks = {
  max_block_size: 64, // 4 MiB of the longest bodies
  max_threads: 2, // 6 GB of bodies take 20 s of processor time, and a query may take 30
  max_read_buffer_size: 131_072, // for every column of every part that the engine reads in key order
};
/** The share of a query's memory per block: each of two threads has one, and copies of its columns. */
const blockShare = 1 / 16;
const longBytes = 4_096; // with shorter entries, a block of the usual size fits into its share of memory
const partBytesMin = 16 * 1024 * 1024; // smaller parts fit into memory completely
const rememberedMs = 600_000;
const holdersMax = 10_000;

const memoryLimitExceeded = 241; // ClickHouse's code

type Settings = Readonly<Record<string, number>>;

type SizedEntries = { entries: number; bytes: number };

export class Blocks {
  readonly #memoryBytesMax: number;
  /** By server: the largest mean size of entries in a part. */
  readonly #meanBytes = new WeakMap<EngineAccess, number>();
  /** By holder: until when to use small blocks. The most recent is last. */
  readonly #until = new Map<string, number>();

  constructor(memoryBytesMax: number) {
    this.#memoryBytesMax = memoryBytesMax;
  }

  /** Notes all present parts of a server. `bytes` are before compression. */
  recordParts(access: EngineAccess, parts: readonly SizedEntries[]): void {
    const means = parts
      .filter(({ bytes, entries }) => bytes >= partBytesMin && entries > 0)
      .map(({ bytes, entries }) => bytes / entries);
    this.#meanBytes.set(access, Math.max(0, ...means));
  }

  areSmall(holder: string): boolean {
    return (this.#until.get(holder) ?? Number.NEGATIVE_INFINITY) > performance.now();
  }

  settingsOf(holder: string, access: EngineAccess): Settings {
    if (this.areSmall(holder)) return smallBlocks;
    const meanBytes = this.#meanBytes.get(access) ?? 0;
    if (meanBytes < longBytes) return {};
    const entries = Math.floor((this.#memoryBytesMax * blockShare) / meanBytes);
    return { max_block_size: Math.max(entries, smallBlocks.max_block_size) };
  }

  /** Returns whether a retry may help. */
  recordFailure(holder: string, error: unknown): boolean {
    if (!isOutOfMemory(error)) return false;
    const isNew = !this.areSmall(holder);
    this.#until.delete(holder);
    this.#until.set(holder, performance.now() + rememberedMs);
    const [oldest] = this.#until.keys();
    if (this.#until.size > holdersMax && oldest !== undefined) this.#until.delete(oldest);
    return isNew;
  }
}

function isOutOfMemory(error: unknown): boolean {
  const cause = error instanceof Failure ? error.cause : error;
  return cause instanceof EngineError && cause.engineCode === memoryLimitExceeded;
}
