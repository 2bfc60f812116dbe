/**
 * Moves an installation while its service runs. Each pass copies the changes since the last one, until few are left. After the service has
 * stopped, a final pass copies the rest, compares both sides, and records the new locations.
 */
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type BlobStore, openBlobStore, openOwnStaging } from '@tapedeck/blob-stores';
import { formatBytes, formatNumber, openProgress, type Say } from '@tapedeck/command-line';
import { handOverKeys } from '@tapedeck/domain/logs/intake/journalKeyClaims';
import { adoptSecret, keepInstallationId, replaceLogServers } from '@tapedeck/domain/operations/installation';
import {
  type MovedPart,
  type MoveState,
  readMove,
  recordMove,
} from '@tapedeck/domain/operations/installationMove';
import type { MetadataStore } from '@tapedeck/domain/ports/metadata';
import { DirectoryTaken, isHeld, lockDirectory } from '@tapedeck/durable-files';
import { LogCopy, readKeptKeys } from '@tapedeck/log-store';
import { openMetadataStore } from '@tapedeck/metadata-store';
import { compareMetadata, type MetadataPair, mirrorMetadata } from '@tapedeck/metadata-store/mirroring';
import type { Config } from '../../config.ts';
import { keepSecret } from '../../stores/dataDirectory/secretFile.ts';
import { withLogStore } from '../logStore.ts';
import { type BlobRoute, FileMove } from './fileMove.ts';
import type { MovePlan } from './movePlan.ts';
import { claimTargets, inspectTargets, type Mover, type Targets } from './moveTargets.ts';
import { movePartials } from './partialMove.ts';

/** Totals over all passes. */
type Moved = { files: number; fileBytes: number; leftOut: number; entries: number; rows: number };

/** `stoppedMs`: how long the service was down; null: the move ended before the stop. */
export type MoveReport = Moved & { parts: readonly MovedPart[]; stoppedMs: number | null };

type Options = { say: Say; isAhead: boolean };

const littleMs = 5_000; // after a pass this short, the stop is short too
const passesMax = 5; // under a heavy load the stop takes as long as it takes
const pauseMs = 3_000;
const returnMsMax = 15_000; // by then a service that crashed has restarted
const pollMs = 100;
const failuresMax = 5;

export async function moveUp(plan: MovePlan, { say, isAhead }: Options): Promise<MoveReport> {
  await using store = await openMetadataStore(plan.from.database);
  const mover: Mover = {
    store,
    installationId: await keepInstallationId({ store }),
    state: await readMove({ store }),
  };
  await inspectTargets(plan, mover);
  await using targets = await claimTargets(plan, mover);
  await using from = targets.blobs && (await openBlobStore(plan.from.blobs, Date.now));
  const move = new Move(plan, { targets, from, say });
  const lock = await move.runBeside(store, isAhead);
  if (lock === null) return { ...move.moved, parts: plan.parts, stoppedMs: null };
  using _lock = lock;
  const begunAt = performance.now();
  await move.finish(store);
  return { ...move.moved, parts: plan.parts, stoppedMs: Math.round(performance.now() - begunAt) };
}

class Move {
  readonly moved: Moved = { files: 0, fileBytes: 0, leftOut: 0, entries: 0, rows: 0 };
  readonly #plan: MovePlan;
  readonly #targets: Targets;
  readonly #say: Say;
  readonly #files: FileMove | null;
  readonly #route: BlobRoute | null;
  readonly #logs: LogCopy | null;

  constructor(
    plan: MovePlan,
    { targets, from, say }: { targets: Targets; from: BlobStore | null; say: Say },
  ) {
    this.#plan = plan;
    this.#targets = targets;
    this.#say = say;
    this.#route = from && targets.blobs && { from, to: targets.blobs };
    this.#files = this.#route && new FileMove(this.#route);
    this.#logs = targets.logs && new LogCopy(targets.logs);
  }

  /** Runs passes until the service has stopped, then resolves to the lock. Resolves to null with `isAhead`, once little is left. */
  async runBeside(store: MetadataStore, isAhead: boolean): Promise<Disposable | null> {
    const { dataDir } = this.#plan.to;
    let failures = 0;
    let hasSaid = false;
    for (let number = 1; ; number++) {
      // Waits for a service that crashed to come back. Taking its lock now would mean a long stop.
      if (number > 1 && !hasSaid) await waitUntil(() => isHeld(dataDir), returnMsMax);
      const lock = takeDirectory(dataDir);
      if (lock !== null) return lock;
      const begunAt = performance.now();
      try {
        await this.pass(store, false);
        failures = 0;
      } catch (error) {
        // The service stopped during the pass, or its engine is restarting.
        failures += 1;
        if (isHeld(dataDir) && failures >= failuresMax) throw error;
        if (isHeld(dataDir)) await wait(pauseMs);
        continue;
      }
      const isLittle = performance.now() - begunAt < littleMs || number >= passesMax;
      if (isLittle && isAhead) return null;
      if (isLittle && !hasSaid)
        this.#say('Almost everything is copied. Stop the service now; the rest takes a moment.');
      hasSaid ||= isLittle;
      if (isLittle) await waitUntil(() => !isHeld(dataDir), pauseMs);
    }
  }

  async pass(store: MetadataStore, isLast: boolean): Promise<void> {
    if (this.#files !== null) await this.#passFiles(this.#files, store, isLast);
    if (this.#logs !== null) await this.#passLogs(this.#logs, isLast);
    const pair = databasesOf(this.#plan);
    if (pair !== null && !isLast) this.moved.rows += await this.#mirror(pair);
  }

  async #passFiles(files: FileMove, store: MetadataStore, isLast: boolean): Promise<void> {
    const projects = await store.read.projects.list();
    const usages = await Promise.all(projects.map(({ slug }) => store.files.usage(slug)));
    const all = usages.reduce((sum, usage) => sum + usage.files, 0) - files.copiedFiles;
    const done = await files.pass(store, isLast, openProgress(this.#say, 'Files', all));
    this.moved.files += done.files;
    this.moved.fileBytes += done.bytes;
    this.moved.leftOut = done.leftOut;
    if (done.files + done.removed > 0)
      this.#say(
        `Files: ${formatNumber(done.files)} copied, ${formatBytes(done.bytes)}; ${done.removed} removed.`,
      );
  }

  async #passLogs(logs: LogCopy, isLast: boolean): Promise<void> {
    await withLogStore(this.#plan.from, async opened => {
      if (opened === null) return;
      await opened.flush();
      let report: ReturnType<typeof openProgress> | null = null;
      const done = await logs.pass(opened.shards, { isLast }, ({ entries, entriesAll, bytes }) => {
        report ??= openProgress(this.#say, 'Log entries', entriesAll);
        report({ entries, bytes });
      });
      this.moved.entries += done.entries;
      if (done.entries + done.removed > 0)
        this.#say(
          `Log entries: ${formatNumber(done.entries)} copied, ${formatNumber(done.removed)} removed.`,
        );
    });
  }

  async #mirror(pair: MetadataPair): Promise<number> {
    let rows = 0;
    const report = openProgress(this.#say, 'Database', null);
    const { written } = await mirrorMetadata(pair, () => {
      rows += 1;
      report({ rows });
    });
    return written;
  }

  /** Requires the lock. Records nothing at the end before everything was copied and compared. */
  async finish(store: MetadataStore): Promise<void> {
    const { to, parts } = this.#plan;
    this.#say('The service has stopped; the rest follows.');
    await this.pass(store, true);
    if (this.#route !== null) await this.#movePartials(this.#route, store);
    if (this.#logs !== null) await replaceLogServers({ store }, this.#targets.logServerNames);
    const pair = databasesOf(this.#plan);
    if (pair !== null) {
      const now = Date.now();
      await readKeptKeys(to.dataDir, now, kept => handOverKeys(store.keyClaims, kept, now));
      await adoptSecret({ store }, to.secret ?? (await keepSecret(to.dataDir)), false);
      this.moved.rows += await this.#mirror(pair);
      await compareMetadata(pair);
    }
    await recordMoved({ store, to, isOther: pair !== null }, parts);
  }

  async #movePartials(route: BlobRoute, store: MetadataStore): Promise<void> {
    using staging = await openOwnStaging(path.join(this.#plan.to.dataDir, 'staging'));
    const { moved, leftOut } = await movePartials(route, store, staging);
    if (moved > 0) this.#say(`Unfinished uploads: ${moved} copied.`);
    if (leftOut > 0) this.#say(`Unfinished uploads: ${leftOut} left out, because their bytes are gone.`);
  }
}

function databasesOf({ from, to, parts }: MovePlan): MetadataPair | null {
  return parts.includes('database') ? { from: from.database, to: to.database } : null;
}

/** Returns null while the service holds the lock. */
function takeDirectory(dataDir: string): Disposable | null {
  if (isHeld(dataDir)) return null;
  try {
    return lockDirectory(dataDir);
  } catch (error) {
    if (error instanceof DirectoryTaken) return null;
    throw error;
  }
}

async function waitUntil(isSo: () => boolean, timeMsMax: number): Promise<void> {
  const deadline = performance.now() + timeMsMax;
  while (!isSo() && performance.now() < deadline) await wait(pollMs);
}

/** Records the move in the source first, so that the service never uses both databases. */
export async function recordMoved(
  { store, to, isOther }: { store: MetadataStore; to: Config; isOther: boolean },
  parts: readonly MovedPart[],
): Promise<void> {
  const { copying, moved } = await readMove({ store });
  const state: MoveState = { copying: {}, moved: { ...moved } };
  for (const part of parts) state.moved[part] = copying[part] ?? [];
  await recordMove({ store }, state);
  if (!isOther) return;
  await using target = await openMetadataStore(to.database);
  await recordMove({ store: target }, state);
}
