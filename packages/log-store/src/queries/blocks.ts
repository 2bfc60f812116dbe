/**
 * How many entries the engine takes at a time. It reckons with usual ones, of which many at a time are quickest; a condition about long
 * bodies would hold thousands of them at once. So a question that needs more memory than it may have is asked again in small blocks, and
 * what its project asks in the minutes that follow is asked so at once.
 */
import { Failure } from '@tapedeck/values/failure';
import { EngineError } from '../writer/engine/requests.ts';

const smallBlocks = {
  max_block_size: 64, // 4 MiB of the longest bodies
  max_threads: 1,
  max_read_buffer_size: 131_072, // of every column of every part that is read in the order of the key
};
const rememberedMs = 600_000;
const holdersMax = 10_000;

const memoryLimitExceeded = 241; // ClickHouse's code

type Settings = Readonly<Record<string, number>>;

export class Blocks {
  /** Until when small blocks are taken, by holder; the one that needed them last stands last. */
  readonly #until = new Map<string, number>();

  areSmall(holder: string): boolean {
    return (this.#until.get(holder) ?? Number.NEGATIVE_INFINITY) > performance.now();
  }

  settingsOf(holder: string): Settings {
    return this.areSmall(holder) ? smallBlocks : {};
  }

  /** Whether asking again may help. */
  noteFailure(holder: string, error: unknown): boolean {
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
