/** Reads segments for import: those of this node from memory while it holds them, others from the bucket. */
import type { Logger } from '../../logger.ts';
import type { SegmentBucket } from './segmentBucket.ts';
import { decodeObject, type ObjectBlock } from './segmentObject.ts';
import type { SegmentRegistry, WaitingSegment } from './segmentRegistry.ts';

type ReadingDeps = { log: Logger; bucket: SegmentBucket; registry: SegmentRegistry };

export type ReadSegment = ObjectBlock & Pick<WaitingSegment, 'name' | 'registeredAt' | 'isSpread'>;

const keptBytesMax = 64 * 1024 * 1024;
const missingMsMin = 60_000;
const readsAtOnce = 8;
const removalsAtOnce = 8;

export class SegmentReading {
  readonly #deps: ReadingDeps;
  /** By name, oldest first. */
  readonly #kept = new Map<string, ObjectBlock>();
  #keptBytes = 0;
  readonly #removable: string[] = [];
  #removing: Promise<void> | null = null;

  constructor(deps: ReadingDeps) {
    this.#deps = deps;
  }

  /** Keeps a block in memory. Beyond the limit, drops the oldest, which are then read from the bucket. */
  keep(name: string, content: ObjectBlock): void {
    this.#kept.set(name, content);
    this.#keptBytes += content.block.length;
    for (const oldest of this.#kept.keys()) {
      if (this.#keptBytes <= keptBytesMax) break;
      this.#drop(oldest);
    }
  }

  /** Leaves out segments whose bytes are damaged or gone for good, and sets them aside. */
  async readAll(segments: readonly WaitingSegment[], now: number): Promise<ReadSegment[]> {
    const read: ReadSegment[] = [];
    for (let at = 0; at < segments.length; at += readsAtOnce) {
      const some = await Promise.all(
        segments.slice(at, at + readsAtOnce).map(segment => this.#readOne(segment, now)),
      );
      for (const each of some) if (each !== null) read.push(each);
    }
    return read;
  }

  /** Removes the objects of imported segments in the background. The sweep finds those that stay. */
  forget(names: readonly string[]): void {
    for (const name of names) this.#drop(name);
    this.#removable.push(...names);
    this.#removing ??= this.#removeAll();
  }

  async finish(): Promise<void> {
    await this.#removing;
  }

  async #readOne(segment: WaitingSegment, now: number): Promise<ReadSegment | null> {
    const { name, registeredAt, isSpread } = segment;
    const kept = this.#kept.get(name);
    if (kept !== undefined) return { ...kept, name, registeredAt, isSpread };
    const bytes = await this.#deps.bucket.read(name);
    // A bucket in trouble may not find an object that it has.
    if (bytes === null && now - registeredAt < missingMsMin)
      throw new Error(`The bucket does not have the segment ${name}.`);
    const content = bytes && (await decodeObject(name, bytes));
    if (content !== null) return { ...content, name, registeredAt, isSpread };
    this.#deps.log.error(
      { segment: name, entries: segment.rows, isGone: bytes === null },
      'entries in the bucket are damaged and lost; the object is kept',
    );
    await this.#deps.registry.setAside(name);
    return null;
  }

  async #removeAll(): Promise<void> {
    while (this.#removable.length > 0) {
      const some = this.#removable.splice(0, removalsAtOnce);
      await Promise.allSettled(some.map(name => this.#deps.bucket.remove(name)));
    }
    this.#removing = null;
  }

  #drop(name: string): void {
    const kept = this.#kept.get(name);
    if (kept === undefined) return;
    this.#kept.delete(name);
    this.#keptBytes -= kept.block.length;
  }
}
