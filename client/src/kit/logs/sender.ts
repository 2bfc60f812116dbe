/**
 * Sends entries in batches, one request at a time, in the order of writing. Retries a batch with the same key and bytes until the service answers, so
 * that no entry is lost or stored twice.
 */
import { readError, TapedeckError } from '../../errors.ts';
import type { Connection } from '../connection.ts';
import { isPassing, pauseAfter, rest, restQuietly, unreachableError, unrefTimer } from '../retries.ts';
import { type Batch, type BatchStore, openMemoryBatches } from './batches.ts';
import { createDrops, type DropReason, type Drops } from './drops.ts';
import { type LogEntry, writeEntry } from './entryText.ts';
import {
  type CompleteLogOptions,
  completeOptions,
  type LogOptions,
  type LogStats,
  type Logs,
} from './options.ts';

const lastBytesMax = 60 * 1024; // browsers let requests of up to 64 KiB outlive their page
const hurriedPauseMs = 250;
const encoder = new TextEncoder();

export function openLogs(connection: Connection, options: LogOptions = {}): Logs {
  return new LogSender(connection, completeOptions(options));
}

class LogSender implements Logs {
  readonly #connection: Connection;
  readonly #settings: CompleteLogOptions;
  readonly #batches: BatchStore;
  readonly #drops: Drops;
  readonly #stopWatchingExit: () => void;
  #stored = 0;
  #lostNumbers = 0; // entries dropped after they were queued
  #state: 'open' | 'refused' | 'closed' = 'open';
  #sending: Promise<void> | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  /** Ends the pause before a retry. */
  #hurry = new AbortController();
  #waiting: (() => void)[] = [];
  #hasReportedError = false;

  constructor(connection: Connection, settings: CompleteLogOptions) {
    this.#connection = connection;
    this.#settings = settings;
    this.#batches =
      settings.spool === undefined
        ? openMemoryBatches(settings)
        : connection.platform.openSpool(settings.spool, settings);
    this.#drops = createDrops(settings.onDrop);
    this.#stopWatchingExit = connection.platform.onExit({
      flush: () => this.#flushAtExit(),
      hasEntries: () => this.#state === 'open' && (this.#batches.queued > 0 || this.#drops.untold > 0),
      sendLast: () => this.#sendLast(),
    });
    if (this.#batches.hasClosed()) this.#start(); // sends entries left by an earlier process
  }

  write(entry: LogEntry, callback?: (error?: Error) => void): boolean {
    const text = writeEntry(entry, this.#settings.resource);
    if (text === null) return this.#drop('invalid', callback);
    if (this.#state === 'closed') return this.#drop('closed', callback);
    if (this.#state === 'refused' && this.#settings.spool === undefined)
      return this.#drop('unauthorized', callback);
    const bytes = encoder.encode(text).length + 1;
    const dataset = entry.dataset ?? this.#settings.dataset ?? 'default';
    if (!this.#batches.add(dataset, { text, bytes, callback })) return this.#drop('queue_full', callback);
    this.#schedule();
    return this.#batches.hasRoom();
  }

  async ready(): Promise<void> {
    while (this.#state === 'open' && !this.#batches.hasRoom()) await this.#nextChange();
  }

  async flush({ timeoutMs = this.#connection.retryForMs }: { timeoutMs?: number } = {}): Promise<boolean> {
    const number = this.#batches.close();
    const lostBefore = this.#lostNumbers;
    const untoldBefore = this.#drops.untold;
    this.#hurry.abort();
    this.#hurry = new AbortController();
    this.#start();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#announceChange();
    }, timeoutMs);
    while (
      this.#state === 'open' &&
      !isLate &&
      (this.#batches.settledNumber < number || this.#isSelective(untoldBefore))
    )
      await this.#nextChange();
    clearTimeout(timer);
    return this.#batches.settledNumber >= number && this.#lostNumbers === lostBefore;
  }

  stats(): LogStats {
    const { queued, queuedBytes } = this.#batches;
    return { queued, queuedBytes, stored: this.#stored, dropped: this.#drops.count };
  }

  async close(): Promise<boolean> {
    const isStored = this.#state === 'open' ? await this.flush() : this.#batches.queued === 0;
    this.#end();
    return isStored;
  }

  /** After drops, a flush also waits until the service knows of them. */
  #isSelective(untoldBefore: number): boolean {
    return untoldBefore > 0 && this.#drops.untold > 0;
  }

  #end(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#stopWatchingExit();
    if (this.#timer) clearTimeout(this.#timer);
    this.#hurry.abort();
    if (this.#settings.spool === undefined) this.#dropAll('closed');
    this.#batches.end();
    this.#announceChange();
  }

  async #flushAtExit(): Promise<void> {
    const isStored = await this.flush({ timeoutMs: this.#settings.exitTimeoutMs });
    if (!isStored) this.#end();
  }

  #schedule(): void {
    if (this.#batches.hasClosed()) {
      this.#start();
      return;
    }
    if (this.#timer !== null || this.#sending !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#batches.close();
      this.#start();
    }, this.#settings.batchDelayMs);
    unrefTimer(this.#timer);
  }

  #start(): void {
    if (this.#state !== 'open') return;
    this.#sending ??= this.#sendAll().finally(() => {
      this.#sending = null;
      this.#announceChange();
      if (this.#state === 'open' && this.#batches.queued > 0) this.#schedule();
    });
  }

  async #sendAll(): Promise<void> {
    for (let failures = 0; this.#state === 'open'; ) {
      const notice = this.#drops.takeNotice(this.#settings);
      const batch = notice ?? this.#batches.peek();
      if (batch === null) return;
      try {
        await this.#post(batch);
        failures = 0;
        if (notice) this.#drops.confirmNotice();
        else this.#complete(batch);
      } catch (cause) {
        const error = cause instanceof TapedeckError ? cause : unreachableError(cause);
        if (this.#isRepeated(error)) await this.#pause(error, failures++);
        else if (notice)
          this.#drops.confirmNotice(); // the service rejects the notice, and a retry changes nothing
        else this.#leaveOut(batch, error);
      }
      this.#announceChange();
    }
  }

  async #post({ key, dataset, entries }: Batch, isLast = false): Promise<void> {
    const { url, token, requestTimeoutMs: timeoutMs, platform } = this.#connection;
    const headers = { Authorization: token, 'Content-Type': 'application/json', 'Idempotency-Key': key };
    const body = `[${entries.map(({ text }) => text).join(',')}]`;
    const address = `${url}/api/v3/logs?dataset=${encodeURIComponent(dataset)}`;
    const response = await platform.post({ url: address, headers, body, timeoutMs, isLast });
    if (!response.ok) throw await readError(response);
  }

  #complete({ entries }: Batch): void {
    this.#stored += entries.length;
    this.#batches.removeNext();
    this.#hasReportedError = false;
    for (const { callback } of entries) callSafely(() => callback?.());
  }

  /** Retries 404 too, because a proxy may be misconfigured for a while. */
  #isRepeated(error: TapedeckError): boolean {
    if (error.status === 401 || error.status === 403) {
      this.#refuse(error);
      return false;
    }
    const isOfEntries = [400, 413, 415, 422].includes(error.status);
    if (!isOfEntries && !isPassing(error)) this.#reportError(error);
    return !isOfEntries;
  }

  #refuse(error: TapedeckError): void {
    this.#state = 'refused';
    this.#reportError(error);
    // The spool keeps its entries for the next process, which may have a new token.
    if (this.#settings.spool === undefined) this.#dropAll('unauthorized');
  }

  #reportError(error: TapedeckError): void {
    if (this.#hasReportedError) return;
    this.#hasReportedError = true;
    callSafely(() => this.#settings.onError?.(error));
  }

  /** Drops the entry that the service rejects. If the service names none, halves the batch to find it. */
  #leaveOut({ entries }: Batch, error: TapedeckError): void {
    if (this.#state !== 'open') return;
    const named = error.index === null ? null : entries[error.index];
    const wrong = named ?? (entries.length === 1 ? entries[0] : null);
    if (!wrong) {
      const middle = Math.ceil(entries.length / 2);
      this.#batches.split([entries.slice(0, middle), entries.slice(middle)]);
      return;
    }
    this.#batches.split([entries.filter(entry => entry !== wrong)]);
    this.#lostNumbers++;
    this.#drop('invalid', wrong.callback, error);
  }

  /** Does not keep a program alive, because exit flushes. */
  async #pause(error: TapedeckError, failures: number): Promise<void> {
    const ms = pauseAfter(error, failures);
    const { signal } = this.#hurry;
    await restQuietly(ms, signal);
    // A flush cuts a long pause short, but retries always have some pause between them.
    if (signal.aborted && this.#state === 'open') await rest(Math.min(ms, hurriedPauseMs));
  }

  #drop(reason: DropReason, callback?: (error?: Error) => void, cause?: Error): false {
    this.#drops.add(reason);
    const sentence = cause?.message ?? `The entry was dropped: ${reason}.`;
    const error = new TapedeckError({ status: 0, code: 'entry_dropped' }, sentence, { cause });
    if (callback) queueMicrotask(() => callSafely(() => callback(error)));
    if (reason !== 'unauthorized' && reason !== 'closed') this.#schedule();
    return false;
  }

  #dropAll(reason: DropReason): void {
    for (const { callback } of this.#batches.clear()) {
      this.#lostNumbers++;
      this.#drop(reason, callback);
    }
  }

  /** The closing page aborts the request in flight. Its batch goes out again, with the same key, before the rest. */
  #sendLast(): void {
    if (this.#state !== 'open') return;
    this.#batches.close();
    let bytes = 0;
    for (let batch = this.#batches.peek(); batch !== null; batch = this.#batches.peek()) {
      const sizes = batch.entries.map(entry => entry.bytes);
      const total = sizes.reduce((sum, size) => sum + size, 0);
      if (bytes + total > lastBytesMax) {
        if (batch.entries.length === 1) return;
        const middle = Math.ceil(batch.entries.length / 2);
        this.#batches.split([batch.entries.slice(0, middle), batch.entries.slice(middle)]);
        continue;
      }
      bytes += total;
      void this.#post(batch, true).catch(() => undefined); // no one is left to handle it
      this.#complete(batch);
    }
  }

  #nextChange(): Promise<void> {
    return new Promise(resolve => this.#waiting.push(resolve));
  }

  #announceChange(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}

/** A callback that throws must not stop the sender. */
function callSafely(call: () => void): void {
  try {
    call();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}
