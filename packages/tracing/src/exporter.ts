/**
 * Sends finished spans to a collector in batches, one at a time. Spans wait in a limited queue. If the collector is unavailable or slow, further
 * spans are dropped, and no other work waits.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type Exported, writeJson, writeProtobuf } from './otlp.ts';
import type { TraceSettings } from './settings.ts';
import type { FinishedSpan } from './span.ts';

/** Called once when the collector stops accepting spans, and once when it accepts them again. */
export type ExportReport = {
  info(facts: object, sentence: string): void;
  warn(facts: object, sentence: string): void;
};

const retryDelayMsMin = 1_000;
const retryDelayMsMax = 30_000;
const stopMsMax = 3_000; // an unreachable collector must not delay a stop
/** Statuses that ask for a retry: OTLP, Retryable Response Codes. */
const retryStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);
const compress = promisify(gzip);

export class SpanExporter implements AsyncDisposable {
  readonly #settings: TraceSettings;
  readonly #surroundings: Omit<Exported, 'spans'>;
  readonly #report: ExportReport;
  /** Aborts the pauses between attempts. */
  readonly #stopping = new AbortController();
  /** Aborts the attempts themselves. */
  readonly #ending = new AbortController();
  #queue: FinishedSpan[] = [];
  #timer: NodeJS.Timeout | null = null;
  #work: Promise<void> | null = null;
  #dropped = 0;
  #isAway = false;

  constructor(settings: TraceSettings, scope: Exported['scope'], report: ExportReport) {
    this.#settings = settings;
    const sdk = { 'telemetry.sdk.name': scope.name, 'telemetry.sdk.language': 'nodejs' };
    this.#surroundings = {
      resource: { 'service.version': scope.version, ...sdk, ...settings.resource },
      scope,
    };
    this.#report = report;
  }

  add(span: FinishedSpan): void {
    const { queueSpansMax, batchSpansMax, delayMs } = this.#settings;
    if (this.#queue.length >= queueSpansMax) {
      this.#dropped += 1;
      return;
    }
    this.#queue.push(span);
    if (this.#work !== null || this.#stopping.signal.aborted) return;
    if (this.#queue.length >= batchSpansMax) this.#begin();
    else this.#timer ??= setTimeout(() => this.#begin(), delayMs).unref();
  }

  /** Sends the waiting spans once, within seconds. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    const late = setTimeout(() => this.#ending.abort(), stopMsMax);
    await this.#work;
    while (this.#queue.length > 0 && !this.#ending.signal.aborted) {
      const batch = this.#queue.splice(0, this.#settings.batchSpansMax);
      if ((await this.#send(batch)) !== null) break;
    }
    clearTimeout(late);
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #begin(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#work ??= this.#sendAll().finally(() => {
      this.#work = null;
    });
  }

  async #sendAll(): Promise<void> {
    while (this.#queue.length > 0 && !this.#stopping.signal.aborted) {
      const batch = this.#queue.splice(0, this.#settings.batchSpansMax);
      if (!(await this.#sendPatiently(batch))) this.#queue.unshift(...batch); // the stop tries them once more
    }
  }

  /** Resolves to false if the service stops before the collector has accepted them. */
  async #sendPatiently(batch: readonly FinishedSpan[]): Promise<boolean> {
    for (let delayMs = retryDelayMsMin; ; delayMs = Math.min(2 * delayMs, retryDelayMsMax)) {
      const failure = await this.#send(batch);
      if (this.#stopping.signal.aborted && failure !== null) return false;
      this.#reportState(failure);
      if (failure === null || !failure.isPassing) return true;
      await wait(delayMs, null, { signal: this.#stopping.signal, ref: false }).catch(() => undefined);
      if (this.#stopping.signal.aborted) return false;
    }
  }

  /** Resolves to null once the collector has accepted them. */
  async #send(spans: readonly FinishedSpan[]): Promise<{ reason: string; isPassing: boolean } | null> {
    const { url, format, headers, isCompressed, timeoutMs } = this.#settings;
    const exported = { ...this.#surroundings, spans };
    const bytes = format === 'json' ? writeJson(exported) : writeProtobuf(exported);
    const own = {
      'content-type': format === 'json' ? 'application/json' : 'application/x-protobuf',
      ...(isCompressed && { 'content-encoding': 'gzip' }),
    };
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers, ...own },
        body: new Uint8Array(isCompressed ? await compress(bytes) : bytes),
        redirect: 'manual', // the headers hold secrets
        signal: AbortSignal.any([this.#ending.signal, AbortSignal.timeout(timeoutMs)]),
      });
      await response.body?.cancel();
      if (response.ok) return null;
      return { reason: `it answered ${response.status}`, isPassing: retryStatuses.has(response.status) };
    } catch (error) {
      // `fetch` throws errors whose cause says more.
      const { message, cause } = error as Error;
      return { reason: cause instanceof Error ? cause.message : message, isPassing: true };
    }
  }

  #reportState(failure: { reason: string } | null): void {
    if (failure !== null && !this.#isAway)
      this.#report.warn({ reason: failure.reason }, 'the collector of traces does not accept spans');
    if (failure === null && this.#isAway)
      this.#report.info({ dropped: this.#dropped }, 'the collector of traces accepts spans again');
    if (failure === null) this.#dropped = 0;
    this.#isAway = failure !== null;
  }
}
