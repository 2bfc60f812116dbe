/**
 * The lease in a node's row says until when the registry holds everything that the node acknowledged. The node may keep
 * registrations as notes in the bucket only after the last lease that it asked for has ended, by the database's clock. So a
 * reader that finds the lease alive need not look into the bucket; a reader that finds it ended looks there, too.
 *
 * A node gets its next lease only when all notes that it began are registered. Some minutes after the end of a lease it
 * begins no more notes, so that a node that never comes back can be forgotten.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { newId } from '@tapedeck/values/random-ids';
import { DatabaseTime } from './databaseTime.ts';
import { composeNotedSegment, nameNote } from './offlineRegistrations.ts';
import type { NewSegment, SegmentRegistry } from './segmentRegistry.ts';

type LeaseDeps = { registry: SegmentRegistry };

const leaseMs = 3_000; // CONTRACT.md, 13: intake continues without the database, after waiting this long
const renewMs = 1_000;
const pollMs = 250;
const marginMs = 500; // beyond the known error: databases that take over for each other differ
const notesMsMax = 360_000; // a minute more than tokens are trusted without the database
const acknowledgedMsMax = notesMsMax + 60_000;
/** A writer whose lease ended this long ago acknowledges no more notes, with a minute to spare. */
export const retiredMsMin = acknowledgedMsMax + 60_000;
const retryMs = 10_000; // while the database can be read but does not grant the lease
const notesTakenAtOnce = 200;

type Note = {
  number: number;
  segments: readonly NewSegment[];
  /** Called with true once its segments are registered, or with false if no node will ever take it over. */
  settle: (isRegistered: boolean) => void;
};

export class WriterLease implements AsyncDisposable {
  readonly time = new DatabaseTime();
  readonly #registry: SegmentRegistry;
  readonly #stopping = new AbortController();
  readonly #work: Promise<void>;
  readonly #asked = Promise.withResolvers<void>();
  /** null while the registry has no row for this node. */
  #id: string | null = null;
  /** When leases end: the last one asked for, granted or not, and the last one known to be granted. */
  #askedUntil = Number.NEGATIVE_INFINITY;
  #heldUntil = Number.NEGATIVE_INFINITY;
  #isHeld = false;
  #askAgainAt = 0;
  #givenAt = Number.NEGATIVE_INFINITY;
  /** Notes that were begun and may not be taken over yet. */
  #open: Note[] = [];
  #begun = 0;

  constructor({ registry }: LeaseDeps) {
    this.#registry = registry;
    this.#work = this.#run();
  }

  /** Resolves once the first lease was granted or refused. Without a lease, requests wait for as long as the database is away. */
  get asked(): Promise<void> {
    return this.#asked.promise;
  }

  /** Whether registrations may be kept as notes, now or once the lease has ended. */
  get allowsNotes(): boolean {
    return this.#id !== null && this.time.latest() < this.#heldUntil + notesMsMax;
  }

  /** Whether the lease has ended for every node that looks. */
  get hasEnded(): boolean {
    return this.allowsNotes && this.time.earliest() > this.#askedUntil + marginMs;
  }

  /** Whether a kept note may be acknowledged, because other nodes still look for it. */
  get mayAcknowledge(): boolean {
    return this.time.latest() < this.#heldUntil + acknowledgedMsMax;
  }

  /** When the last lease was granted. */
  get givenAt(): number {
    return this.#givenAt;
  }

  /** Pauses renewal. A registry may grant leases but refuse segments; the writer can keep notes only once its lease has ended. */
  rest(): void {
    this.#askAgainAt = performance.now() + retryMs;
  }

  /** Begins a note and returns its name. Call it right after checking `hasEnded`, and only when the previous note is known to be kept. */
  beginNote(segments: readonly NewSegment[], settle: Note['settle']): string {
    const number = this.#begun++;
    this.#open.push({ number, segments, settle });
    return nameNote({ writer: this.#id!, number }); // without an id, no lease has ended
  }

  /** Returns the database's time. Rejects while the database is away and has granted no lease, because then nothing can be registered. */
  async readTime(): Promise<number> {
    if (!this.time.isKnown || this.#id === null) await this.#readClock();
    return this.time.now();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#work;
    // If notes are left, the row stays and leads other nodes to them.
    if (this.#id !== null && this.#isHeld)
      await this.#registry
        .closeWriter({ id: this.#id, notes: this.#begun, leasedUntil: null })
        .catch(() => {});
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      this.#isHeld = await this.#renew().catch(() => false); // calls that need the database report the reason
      this.#asked.resolve();
      await wait(this.#isHeld ? renewMs : pollMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #renew(): Promise<boolean> {
    // Asking delays notes until the end of the requested lease, so it does not ask in vain, or again soon.
    if (!this.#isHeld) await this.#readClock();
    if (performance.now() < this.#askAgainAt) return false;
    this.#askAgainAt = performance.now() + retryMs;
    const until = Math.ceil(this.time.now()) + leaseMs;
    this.#askedUntil = Math.max(this.#askedUntil, until);
    const isHeld = this.#id === null ? await this.#enter(until) : await this.#hold(this.#id, until);
    this.#askAgainAt = 0;
    if (isHeld) {
      this.#heldUntil = until;
      this.#givenAt = performance.now();
    } else if (this.#id !== null) await this.#registerNotes(this.#id);
    return isHeld;
  }

  async #enter(until: number): Promise<boolean> {
    const id = newId();
    await this.#registry.openWriter(id, until);
    this.#id = id;
    return true;
  }

  async #hold(id: string, until: number): Promise<boolean> {
    const sentAt = performance.now();
    const notes = this.#begun;
    const { isHeld, now } = await this.#registry.holdWriter({ id, until, notes });
    this.time.readClock(now, sentAt);
    if (isHeld) this.#forgetBefore(notes, true);
    return isHeld && notes === this.#begun; // false if notes were begun during the request
  }

  /** Registers this node's own notes from memory, whether or not the bucket has them. */
  async #registerNotes(id: string): Promise<void> {
    const row = await this.#registry.findWriter(id);
    if (row === null) {
      this.#forgetBefore(this.#begun, false);
      this.#id = null;
      this.#begun = 0;
      return;
    }
    this.#forgetBefore(row.notes, true);
    const some = this.#open.slice(0, notesTakenAtOnce);
    if (some.length === 0) return;
    const range = { writer: id, from: row.notes, to: row.notes + some.length };
    const segments = some.flatMap(note => note.segments.map(composeNotedSegment));
    if (await this.#registry.registerNotes(range, segments)) this.#forgetBefore(range.to, true);
  }

  #forgetBefore(number: number, isRegistered: boolean): void {
    const settled = this.#open.filter(note => note.number < number);
    this.#open = this.#open.slice(settled.length);
    for (const { settle } of settled) settle(isRegistered);
  }

  async #readClock(): Promise<void> {
    const sentAt = performance.now();
    this.time.readClock(await this.#registry.readClock(), sentAt);
  }
}
