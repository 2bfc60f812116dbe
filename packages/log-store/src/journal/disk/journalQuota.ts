/**
 * Reserves disk space for the journal and the engine behind it. When the disk is full, it releases the reserve, so that the
 * engine can still store acknowledged entries and queries stay complete. Intake resumes once the reserve is back.
 */
import path from 'node:path';
import { fillReserve, isDiskFull } from '@tapedeck/durable-files';
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

type RouteDeps = {
  disk: JournalDisk;
  log: Logger;
  /** Called when the disk is full: the flusher should insert the waiting segments now, while the reserve is there. */
  onFull: () => void;
};

export class JournalSpace implements AsyncDisposable {
  readonly journalBytesMax: number;
  readonly #deps: RouteDeps;
  readonly #directory: string;
  readonly #reserveFile: string;
  readonly #reserveBytes: number;
  /** Why nothing is accepted until there is room again; null while there is. */
  refusal: LogStoreFailure | null = null;
  #isReserveKept = false;
  #timer: NodeJS.Timeout | null = null;
  #work: Promise<void> = Promise.resolve();

  private constructor(deps: RouteDeps, directory: string, totalBytes: number) {
    this.#deps = deps;
    this.#directory = directory;
    this.#reserveFile = path.join(directory, 'reserve');
    this.#reserveBytes = Math.floor(Math.min(reserveBytesMax, totalBytes * reserveShare));
    this.journalBytesMax = Math.floor(Math.min(journalBytesMax, totalBytes * journalShare));
  }

  static async open(deps: RouteDeps, directory: string): Promise<JournalSpace> {
    const { totalBytes } = await deps.disk.measureSpace(directory);
    return new JournalSpace(deps, directory, totalBytes);
  }

  /** Fills the reserve in the background on the first call. A disk without room for it counts as full. */
  keepReserve(): void {
    if (this.#isReserveKept) return;
    this.#isReserveKept = true;
    this.#work = this.#work.then(() => this.#checkReserve());
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
    if (this.#timer !== null) clearTimeout(this.#timer);
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
      if (freeBytes >= 2 * this.#reserveBytes && (await this.#fillReserve())) {
        this.refusal = null;
        log.info('the disk has space again; accepting entries');
        return;
      }
    } catch (error) {
      log.error({ err: error }, 'could not read the free space of the disk');
    }
    this.#retryLater();
  }

  async #checkReserve(): Promise<void> {
    try {
      await using file = await this.#deps.disk.open(this.#reserveFile);
      if ((await file.size()) === this.#reserveBytes) return;
    } catch {
      // there is no reserve yet
    }
    await this.#fillReserve();
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
