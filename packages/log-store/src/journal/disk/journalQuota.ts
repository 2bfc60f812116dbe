/**
 * Reserves disk space for the journal and the engine behind it, unless the disk has ample space. When the disk is full, it
 * releases the reserve, so that the engine can still store acknowledged entries and queries stay complete. Intake resumes once
 * the reserve is back.
 */
import path from 'node:path';
import { ampleFreeBytes, fillReserve, isDiskFull, spaceLookMs } from '@tapedeck/durable-files';
import { LogStoreFailure } from '../../failures.ts';
import type { Logger } from '../../logger.ts';
import type { JournalDisk } from './disk.ts';

const mebibyte = 1024 * 1024;
const journalBytesMax = 2048 * mebibyte; // DESIGN.md, Write path: or a tenth of the disk
const journalShare = 1 / 10;
const reserveBytesMax = 32 * mebibyte; // two full segments, so that acknowledged entries can still be inserted
const reserveShare = 1 / 50;
const retryIntervalMs = 1_000; // accepting resumes within 15 s of room being made (CONTRACT.md, 4.5)
const retryAfterSeconds = 5;

type SpaceDeps = {
  disk: JournalDisk;
  log: Logger;
  /** Called when the disk is full: the flusher should insert the waiting segments now, while the reserve is there. */
  onFull: () => void;
  /** Milliseconds between looks at a disk with ample space. */
  lookMs?: number;
};

export class JournalSpace implements AsyncDisposable {
  readonly journalBytesMax: number;
  readonly #deps: SpaceDeps;
  readonly #directory: string;
  readonly #reserveFile: string;
  readonly #reserveBytes: number;
  /** Why nothing is accepted until there is room again; null while there is. */
  refusal: LogStoreFailure | null = null;
  #isReserveKept = false;
  #isClosed = false;
  #timer: NodeJS.Timeout | null = null;
  #nextLook: NodeJS.Timeout | null = null;
  #work: Promise<void> = Promise.resolve();

  private constructor(deps: SpaceDeps, directory: string, totalBytes: number) {
    this.#deps = deps;
    this.#directory = directory;
    this.#reserveFile = path.join(directory, 'reserve');
    this.#reserveBytes = Math.floor(Math.min(reserveBytesMax, totalBytes * reserveShare));
    this.journalBytesMax = Math.floor(Math.min(journalBytesMax, totalBytes * journalShare));
  }

  static async open(deps: SpaceDeps, directory: string): Promise<JournalSpace> {
    const { totalBytes } = await deps.disk.measureSpace(directory);
    return new JournalSpace(deps, directory, totalBytes);
  }

  /** From the first call on, fills the reserve in the background if it is needed. A disk without room for it counts as full. */
  keepReserve(): void {
    if (this.#isReserveKept) return;
    this.#isReserveKept = true;
    this.#work = this.#work.then(async () => void (await this.#checkReserve()));
  }

  /** Called when a write failed because the disk is full. */
  reportFull(): void {
    if (this.refusal !== null) return;
    this.refusal = diskFullError();
    this.#deps.log.error('the disk is full; refusing entries until there is space');
    this.#retryLater();
    this.#deps.onFull();
  }

  /** Releases the reserve for an insert that found no room. Resolves to whether that made room on the disk. */
  async releaseReserve(): Promise<boolean> {
    this.reportFull();
    if (!this.#isReserveKept) return false;
    let isGiven = false;
    this.#work = this.#work
      .then(async () => {
        const { freeBytes: before } = await this.#deps.disk.measureSpace(this.#directory);
        await this.#deps.disk.remove(this.#reserveFile);
        const { freeBytes: after } = await this.#deps.disk.measureSpace(this.#directory);
        isGiven = after > before;
      })
      .catch(() => {});
    await this.#work;
    return isGiven;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#isClosed = true;
    for (const timer of [this.#timer, this.#nextLook]) clearTimeout(timer ?? undefined);
    await this.#work;
  }

  #retryLater(): void {
    this.#timer = setTimeout(() => {
      this.#work = this.#work.then(() => this.#resume());
    }, retryIntervalMs).unref();
  }

  async #resume(): Promise<void> {
    const { disk, log } = this.#deps;
    try {
      // The released reserve alone is not enough room, because intake would fill it at once.
      const { freeBytes } = await disk.measureSpace(this.#directory);
      if (freeBytes >= 2 * this.#reserveBytes && (await this.#checkReserve())) {
        this.refusal = null;
        log.info('the disk has space again; accepting entries');
        return;
      }
    } catch (error) {
      log.error({ err: error }, 'could not read the free space of the disk');
    }
    this.#retryLater();
  }

  /** Returns true if the reserve is in place, or not needed yet. */
  async #checkReserve(): Promise<boolean> {
    if (await this.#isInPlace()) return true;
    const { freeBytes } = await this.#deps.disk.measureSpace(this.#directory).catch(() => ({ freeBytes: 0 }));
    if (freeBytes < ampleFreeBytes) return this.#fillReserve();
    clearTimeout(this.#nextLook ?? undefined);
    if (this.#isClosed) return true;
    this.#nextLook = setTimeout(() => {
      this.#work = this.#work.then(async () => void (await this.#checkReserve()));
    }, this.#deps.lookMs ?? spaceLookMs).unref();
    return true;
  }

  async #isInPlace(): Promise<boolean> {
    try {
      await using file = await this.#deps.disk.open(this.#reserveFile);
      return (await file.size()) === this.#reserveBytes;
    } catch {
      return false; // there is none
    }
  }

  /** Returns true if the reserve is in place. */
  async #fillReserve(): Promise<boolean> {
    const { disk } = this.#deps;
    try {
      await disk.remove(this.#reserveFile);
      await using file = await disk.create(this.#reserveFile);
      let position = 0;
      for (const bytes of fillReserve(this.#reserveBytes)) {
        await file.write([bytes], position);
        position += bytes.length;
      }
      await file.sync();
      return true;
    } catch (error) {
      await disk.remove(this.#reserveFile).catch(() => {});
      if (isDiskFull(error)) this.reportFull();
      else this.#deps.log.error({ err: error }, 'could not reserve space on the disk');
      return false;
    }
  }
}

export function diskFullError(cause?: unknown): LogStoreFailure {
  return new LogStoreFailure(
    'disk_full',
    'The disk of the service is full; free some space and send the entries again.',
    {
      retryAfterSeconds,
      cause,
    },
  );
}
