/** Looks at what waits in the registry. Those who ask while a look is under way share the next one. */
import { setTimeout as wait } from 'node:timers/promises';
import { describeOutage } from '../../failures.ts';
import type { RegistryLook, SegmentRegistry } from './segmentRegistry.ts';

/** More than these wait only while no shard takes any; nobody waits for so many. */
const segmentsSeenMax = 2_000;
const lookAgainMs = 20;

export class RegistryWatch {
  readonly #registry: SegmentRegistry;
  #next: Promise<RegistryLook> | null = null;
  #running: Promise<RegistryLook> | null = null;

  constructor(registry: SegmentRegistry) {
    this.#registry = registry;
  }

  /** What waits at a moment after the call. */
  look(): Promise<RegistryLook> {
    this.#next ??= this.#lookNext();
    return this.#next;
  }

  /**
   * Resolves once all that any node acknowledged before the call is where questions find it. `hurry` is called while something is
   * left. Rejects with `engine_unavailable` when that takes longer than the given time.
   */
  async untilImported(timeMsMax: number, hurry: () => void): Promise<void> {
    const deadline = performance.now() + timeMsMax;
    const { segments } = await this.look();
    let left = new Set(segments.map(({ name }) => name));
    if (left.size > 0) await this.#registry.want([...left]);
    while (left.size > 0) {
      hurry();
      if (performance.now() > deadline || left.size >= segmentsSeenMax) throw describeOutage();
      await wait(lookAgainMs);
      const waiting = new Set((await this.look()).segments.map(({ name }) => name));
      left = left.intersection(waiting);
    }
  }

  async #lookNext(): Promise<RegistryLook> {
    await this.#running?.catch(() => {}); // whoever asked for it is told
    this.#next = null;
    this.#running = this.#registry.look(segmentsSeenMax);
    return this.#running;
  }
}
