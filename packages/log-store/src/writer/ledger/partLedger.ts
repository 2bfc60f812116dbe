/**
 * Keeps a list of the parts whose entries have left the journal. Compares it with the parts of the engine in the data
 * directory, and so notices entries that were lost with a part. Lists parts once they are synced, before their segments are
 * forgotten.
 */
import { isDiskFull, readMarkFile } from '@tapedeck/durable-files';
import type { Logger } from '../../logger.ts';
import { findDamagedPart, queryRows, runCommand } from '../engine/statements.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { PartSync } from '../flushing/partSync.ts';
import { localTable } from '../schema/schema.ts';
import { removeBrokenRemains } from './brokenRemains.ts';
import { classifyParts } from './comparison.ts';
import {
  isDetachedAs,
  type Ledger,
  type LostPart,
  nameAcceptance,
  readAcceptance,
  readLedger,
  removeAcceptance,
  writeLedger,
} from './ledgerFile.ts';
import { LossAnnouncements } from './lossAnnouncements.ts';
import { listDetached, listPresentParts, type PresentPart } from './presentParts.ts';
import { ReplacedParts } from './replacedParts.ts';

type LedgerDeps = {
  access: EngineAccess;
  log: Logger;
  dataDir: string;
  /** The engine's data directory. */
  directory: string;
};

/** Well within the seconds in which the engine shows that a part was emptied on purpose (`presentParts.ts`). */
const pollIntervalMs = 5_000;
const checkAgainMs = 60_000; // the check reads the whole part
const acceptedMax = 10_000;

export class PartLedger implements AsyncDisposable {
  readonly #deps: LedgerDeps;
  readonly #sync: PartSync;
  readonly #replaced: ReplacedParts;
  readonly #timer: NodeJS.Timeout;
  readonly #unsubscribe: () => void;
  /** Runs one look after another. */
  #work: Promise<void> = Promise.resolve();
  /** Resolves once the first look since the engine came up has succeeded or failed. */
  settled: Promise<void>;
  lost: readonly LostPart[] = [];
  #ledger: Ledger | null = null;
  /** True if the engine came up again, and may be another one than before. */
  #isStale = false;
  #isWritten = true;
  /** The ledger found by the first look; null if there was none, so that earlier losses are unknown. */
  #atStart: Ledger | null = null;
  #isFullTold = false;
  /** False at first, because the journal still has parts that a power cut may have broken, and those must not be listed. */
  #mayAdd = false;
  #hasNothingWaiting: () => Promise<boolean> = async () => false;
  #removals = 0; // running now
  readonly #announcements: LossAnnouncements;
  readonly #checkedAt = new Map<string, number>();

  constructor(deps: LedgerDeps) {
    this.#deps = deps;
    this.#announcements = new LossAnnouncements(deps.log);
    this.#sync = new PartSync(deps.directory);
    this.#replaced = new ReplacedParts(deps.access);
    this.settled = this.#lookQuietly();
    this.#timer = setInterval(() => void this.look().catch(() => {}), pollIntervalMs).unref();
    this.#unsubscribe = deps.access.onUp(() => {
      this.#isStale = true;
      this.#replaced.restart();
      this.settled = this.#lookQuietly();
    });
  }

  /** From now on, lists new parts whenever nothing waits in the journal. */
  follow(hasNothingWaiting: () => Promise<boolean>): void {
    this.#hasNothingWaiting = hasNothingWaiting;
  }

  /** Resolves once every part that existed before the call survives a power cut and is listed. */
  sync(): Promise<void> {
    return this.#enqueue(async () => {
      await this.#look(true);
      if (!this.#mayAdd) await this.#removeRemains();
      this.#mayAdd = true;
    });
  }

  /** Removes remains that were not listed at the start: their entries were still in the journal. New parts may reuse names of broken ones. */
  async #removeRemains(): Promise<void> {
    if (this.#atStart === null) return;
    const known = { ...this.#atStart, lost: this.lost, accepted: this.#ledger?.accepted ?? [] };
    await removeBrokenRemains(this.#deps.access, known).catch(error =>
      this.#deps.log.warn({ err: error }, 'could not delete the remains of parts that a power cut broke'),
    );
  }

  /** Runs the work. Parts that disappear meanwhile do not count as lost, even if a process hangs or is killed before the next look. */
  async expectRemovals<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    this.#removals++;
    try {
      await this.#enqueue(() => this.#announceRemovals());
      return await work();
    } finally {
      this.#removals--;
      await this.look().catch(() => {}); // the next look makes up for it
    }
  }

  /** Compares the list with the engine's parts. */
  look(): Promise<void> {
    return this.#enqueue(async () => this.#look(this.#mayAdd || (await this.#hasNothingWaiting())));
  }

  /** Called when a query fails. If it met damaged bytes, checks the part, and reports it from then on. */
  recordFailure(error: unknown): LostPart | null {
    const name = findDamagedPart(error);
    if (name === null) return null;
    const known = this.lost.find(part => part.name === name);
    if (known !== undefined) return known;
    const now = performance.now();
    if (now - (this.#checkedAt.get(name) ?? -checkAgainMs) < checkAgainMs) return null;
    this.#checkedAt.set(name, now);
    void this.#enqueue(() => this.#check(name)).catch(() => {});
    return null;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    this.#unsubscribe();
    await this.look().catch(() => {}); // while the engine is away, there is nothing to add
  }

  #enqueue(work: () => Promise<void>): Promise<void> {
    const done = this.#work.then(work);
    this.#work = done.catch(() => {});
    return done;
  }

  /** Looks without syncing, because queries wait for it. Later looks retry, and queries report that the engine does not answer. */
  #lookQuietly(): Promise<void> {
    return this.#enqueue(() => this.#look(false)).catch(() => {});
  }

  async #announceRemovals(): Promise<void> {
    await this.#look(false); // parts that are gone by now count as lost
    const before = this.#ledger;
    if (before !== null && !before.isRemoving) await this.#write(before, { ...before, isRemoving: true });
  }

  async #look(adds: boolean): Promise<void> {
    const { access, dataDir } = this.#deps;
    await this.#replaced.hold();
    const present = await listPresentParts(access);
    const before = this.#ledger !== null && !this.#isStale ? this.#ledger : await this.#load(present);
    this.#isStale = false;
    const accepted = await readAcceptance(dataDir);
    const { lost, found } = await this.#findLost(before, present);
    const dropped = lost.filter(part => accepted?.has(nameAcceptance(part)));
    for (const part of dropped) await this.#giveUp(part, present);
    const left = lost.filter(part => !dropped.includes(part));
    const active = present.filter(({ isActive, entries }) => isActive && entries > 0);
    const isLost = new Set(lost.map(nameAcceptance));
    const lookedAt = performance.now();
    const hasReplaced = adds && (await this.#sync.sync()).hasReplaced;
    const next: Ledger = {
      engine: before.engine,
      parts: adds
        ? active
            .filter(part => !isLost.has(nameAcceptance(part)))
            .map(({ isActive: _, ...part }) => part)
            .sort((one, other) => (one.name < other.name ? -1 : 1))
        : before.parts.filter(({ name, key }) => found.has(`${name} ${key}`)),
      lost: left,
      isRemoving: this.#removals > 0 && before.isRemoving,
      accepted: [...before.accepted, ...dropped.map(({ name }) => name)].slice(-acceptedMax),
    };
    this.#announcements.logChanges(before, next);
    await this.#write(before, next);
    if (accepted !== null) await removeAcceptance(dataDir);
    const isEmptied = present.some(({ entries }) => entries === 0);
    if (hasReplaced || (adds && isEmptied)) await this.#replaced.removeOld(lookedAt);
  }

  /** Detaches the part from the engine. Damaged parts are kept in the engine's folder `detached`. */
  async #giveUp(part: LostPart, present: readonly PresentPart[]): Promise<void> {
    const known = present.find(each => nameAcceptance(each) === nameAcceptance(part));
    if (known === undefined) return;
    const verb = known.isActive ? 'DETACH' : 'DROP';
    await runCommand(this.#deps.access, `ALTER TABLE ${localTable} ${verb} PART '${part.name}'`);
  }

  /** Returns parts that are still lost, and parts lost since. `found` names the listed parts that are still there. */
  async #findLost(
    before: Ledger,
    present: readonly PresentPart[],
  ): Promise<{ lost: LostPart[]; found: Set<string> }> {
    const lost: LostPart[] = [];
    const active = new Set(present.filter(({ isActive }) => isActive).map(nameAcceptance));
    const damaged = before.lost.filter(({ loss }) => loss === 'damaged');
    for (const part of before.lost) {
      const isThere = active.has(nameAcceptance(part));
      if (isThere === (part.loss === 'damaged')) lost.push(part);
    }
    const left = damaged.filter(part => !active.has(nameAcceptance(part)));
    const judged = classifyParts([...before.parts, ...left], present);
    const found = new Set(
      judged.filter(({ fate }) => fate === 'stands').map(({ part }) => nameAcceptance(part)),
    );
    const suspects = judged.filter(({ fate }) => fate !== 'stands');
    const detached = suspects.length === 0 ? [] : await listDetached(this.#deps.access);
    for (const { part, fate } of suspects) {
      const isDetached = detached.some(name => isDetachedAs(name, part.name));
      const isGone = fate === 'lost' && !before.isRemoving;
      if (isGone || isDetached) lost.push({ ...part, loss: isDetached ? 'setAside' : 'gone' });
    }
    return { lost, found };
  }

  async #load(present: readonly PresentPart[]): Promise<Ledger> {
    const { dataDir, directory, log } = this.#deps;
    const [engine, read] = await Promise.all([readMarkFile(directory), readLedger(dataDir)]);
    if (typeof read !== 'string' && (read.engine === null || read.engine === engine)) {
      this.#atStart ??= read;
      return { ...read, engine };
    }
    const parts = present.filter(({ isActive, entries }) => isActive && entries > 0).length;
    const reason = typeof read === 'string' ? read : 'of another engine';
    this.#isWritten = false;
    if (parts > 0)
      log.warn(
        { reason, parts },
        'created a new list of the parts of the log table; parts lost before this start are unknown',
      );
    return { engine, parts: [], lost: [], isRemoving: false, accepted: [] };
  }

  async #check(name: string): Promise<void> {
    await this.#look(false); // the whole part may be gone
    const before = this.#ledger;
    const part = before?.parts.find(each => each.name === name);
    if (before === null || part === undefined || (await this.#isWhole(name))) return;
    const parts = before.parts.filter(each => each !== part);
    const next: Ledger = { ...before, parts, lost: [...before.lost, { ...part, loss: 'damaged' }] };
    this.#announcements.logChanges(before, next);
    await this.#write(before, next);
  }

  async #isWhole(name: string): Promise<boolean> {
    const sql = `CHECK TABLE ${localTable} PART '${name}' SETTINGS check_query_single_value_result = 1`;
    try {
      const [[isWhole] = []] = await queryRows(this.#deps.access, { sql });
      return Number(isWhole) === 1;
    } catch (error) {
      if (findDamagedPart(error) === name) return false;
      throw error;
    }
  }

  /** Ignores a full disk: if it kept segments in the journal, there would never be room again. */
  async #write(before: Ledger, next: Ledger): Promise<void> {
    const isNew = !this.#isWritten || JSON.stringify(before) !== JSON.stringify(next);
    this.#ledger = next;
    this.lost = next.lost;
    if (!isNew) return;
    this.#isWritten = false;
    try {
      await writeLedger(this.#deps.dataDir, next);
      this.#isWritten = true;
      this.#isFullTold = false;
    } catch (error) {
      if (!isDiskFull(error)) throw error;
      if (!this.#isFullTold)
        this.#deps.log.warn('the disk is full: not updating the list of the parts of the log table');
      this.#isFullTold = true;
    }
  }
}
