/**
 * Tells the engine when to remove the parts that merges replaced: right after the parts that replaced them were synced, and at no
 * other time. A power cut may break a merged part that was not synced, and then the engine goes on with what it was merged from.
 */
import { runCommand } from '../engine/statements.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { localTable, replacedPartSeconds } from '../schema/schema.ts';

/** A sync that began longer ago does not count: the engine may have replaced parts since, and may consider them old. */
const syncMsMax = (replacedPartSeconds * 1000) / 2;

export class ReplacedParts {
  readonly #access: EngineAccess;
  #isHolding = false;

  constructor(access: EngineAccess) {
    this.#access = access;
  }

  /** Call it when the engine has come up: a new process removes parts by their age alone. */
  restart(): void {
    this.#isHolding = false;
  }

  /** From now on, replaced parts stay. */
  async hold(): Promise<void> {
    if (this.#isHolding) return;
    await runCommand(this.#access, `SYSTEM STOP CLEANUP ${localTable}`);
    this.#isHolding = true;
  }

  /** Lets the engine remove what was replaced some seconds ago. `syncBeganAt` is the time of `performance.now()`. */
  async removeOld(syncBeganAt: number): Promise<void> {
    if (performance.now() - syncBeganAt > syncMsMax) return;
    this.#isHolding = false;
    try {
      await runCommand(this.#access, `SYSTEM START CLEANUP ${localTable}`);
    } finally {
      await this.hold();
    }
  }
}
