/** Calls S3 with retries, random and growing waits between them, and an overall time limit. */
import { setTimeout as wait } from 'node:timers/promises';
import { Gate } from '@tapedeck/concurrency/gate';
import { Failure } from '@tapedeck/values/failure';
import { BlobStoreFailure } from '../failures.ts';
import {
  openS3Connection,
  type S3Config,
  type S3Connection,
  type S3Request,
  type S3Response,
  type S3Timeouts,
  s3Timeouts,
} from './connection.ts';
import { S3Refusal } from './refusal.ts';
import { WriteMemory } from './writing.ts';

type S3Answer = { status: number; headers: S3Response['headers']; text: string };

const s3BytesPerSecondMin = 256 * 1024; // allows a call extra time for its bytes at this rate
const s3BackoffMsMax = 2_000; // the longest wait
const s3ErrorBodyBytesMax = 16 * 1024; // errors are short XML
const s3ListBodyBytesMax = 8 * 1024 * 1024; // 1,000 entries with keys of 1,024 bytes, each byte percent-encoded

/** Some stores refuse what exceeds a quota with 400 or 403. */
const fullCodes = /quota|storagefull|insufficientstorage/i;

/** Errors with these statuses may pass. Every call may be retried, because places are never reused. */
const passingStatuses = [408, 425, 429, 500, 502, 503, 504];

export class S3Client {
  readonly timeouts: S3Timeouts;
  readonly #connection: S3Connection;
  readonly #calls: Gate;
  readonly #reads: Gate;
  readonly #deadlines = new Set<AbortController>();
  /** What is known about writing. A bucket that can be read may refuse writes: it may be full, or the key may lack the right. */
  readonly writes = new WriteMemory();

  constructor(config: S3Config, times: S3Timeouts = s3Timeouts) {
    this.timeouts = times;
    this.#connection = openS3Connection(config, times);
    this.#calls = new Gate(times.callsMax, { leavesRoom: true });
    this.#reads = new Gate(times.readsMax, { leavesRoom: true });
  }

  /** Returns a short answer whole. Statuses other than 2xx and the expected ones become `blobs_unavailable`. */
  async call(request: S3Request, expected: readonly number[] = []): Promise<S3Answer> {
    using _pass = await this.#enter(this.#calls, request);
    const isWrite = request.method === 'PUT' || request.method === 'POST';
    const sizeBytes = request.payload?.sizeBytes ?? 0;
    try {
      const answer = await this.#answer(request, expected);
      if (isWrite) this.writes.recordSuccess(sizeBytes);
      return answer;
    } catch (error) {
      if (isWrite) this.writes.recordFailure(error, sizeBytes);
      throw error;
    }
  }

  #answer(request: S3Request, expected: readonly number[]): Promise<S3Answer> {
    return this.#repeat(request, { expected, signal: undefined }, async response => {
      // Some stores send a body with the answer to HEAD, against HTTP. The connection then breaks.
      const isHead = request.method === 'HEAD';
      const text = isHead ? '' : await readText(response, s3ListBodyBytesMax);
      if (isHead) response.body.resume();
      // A copy may fail after S3 has sent its status.
      if (isSuccess(response.status) && text.includes('<Error>'))
        throw new S3Refusal(request, response, text);
      return { status: response.status, headers: response.headers, text };
    });
  }

  /**
   * Returns the head of an answer and streams its body. It occupies a read slot until `release` is called. Aborting the signal ends the
   * exchange at once.
   */
  async open(
    request: S3Request,
    expected: readonly number[],
    signal: AbortSignal,
  ): Promise<{ response: S3Response; release: () => void }> {
    const pass = await this.#enter(this.#reads, request);
    const release = () => pass[Symbol.dispose]();
    try {
      const response = await this.#repeat(request, { expected, signal }, async found => found);
      return { response, release };
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Reads the whole body, or returns null if the key has no object. Rejects bodies above `bytesMax`. */
  async read(request: S3Request, bytesMax: number): Promise<Buffer | null> {
    using _pass = await this.#enter(this.#reads, request);
    return await this.#repeat(request, { expected: [404], signal: undefined }, async response => {
      const body = await readBody(response, bytesMax);
      return response.status === 404 ? null : body;
    });
  }

  /** Fails all calls in progress. */
  close(): void {
    for (const deadline of this.#deadlines) deadline.abort(new Error('the service is stopping'));
    this.#connection.close();
  }

  /** A key begins with the project whose share it uses. Calls about the bucket have a separate share. */
  #enter(gate: Gate, { key }: S3Request): Promise<Disposable> {
    const [project = ''] = key.split('/', 1);
    return gate.enterWithin(project, { timeMsMax: this.timeouts.waitMsMax, refuse: busyError });
  }

  async #repeat<T>(
    request: S3Request,
    options: { expected: readonly number[]; signal: AbortSignal | undefined },
    use: (response: S3Response) => Promise<T>,
  ): Promise<T> {
    const carryMs = ((request.payload?.sizeBytes ?? 0) / s3BytesPerSecondMin) * 1000;
    const { callMsMax, backoffMs } = this.timeouts;
    const attemptsMax = request.isAskedOnce ? 1 : this.timeouts.attemptsMax;
    const deadline = new AbortController();
    this.#deadlines.add(deadline);
    const timer = setTimeout(
      () => deadline.abort(new Error('S3 took too long, repeats included')),
      callMsMax + carryMs,
    );
    const signals = options.signal === undefined ? [deadline.signal] : [deadline.signal, options.signal];
    const signal = AbortSignal.any(signals);
    try {
      for (let attempt = 1; ; attempt++) {
        const outcome = await this.#try(request, options.expected, { signal, use });
        if ('value' in outcome) return outcome.value;
        if (!outcome.isPassing || attempt >= attemptsMax || signal.aborted) {
          throw unavailableError(outcome.cause, attempt);
        }
        await wait(jitter(backoffMs * 2 ** attempt), undefined, { signal }).catch(() => {}); // the next attempt checks the signal
      }
    } finally {
      clearTimeout(timer);
      this.#deadlines.delete(deadline);
    }
  }

  async #try<T>(
    request: S3Request,
    expected: readonly number[],
    { signal, use }: { signal: AbortSignal; use: (response: S3Response) => Promise<T> },
  ): Promise<{ value: T } | { cause: unknown; isPassing: boolean }> {
    const body = await request.payload?.open();
    try {
      const response = await this.#connection.exchange(request, body, signal);
      if (isSuccess(response.status) || expected.includes(response.status))
        return { value: await use(response) };
      const text = await readText(response, s3ErrorBodyBytesMax);
      const refusal = new S3Refusal(request, response, text);
      if (response.status === 507 || fullCodes.test(refusal.code))
        throw new BlobStoreFailure('disk_full', 'The file store is full.', { cause: refusal });
      const isPassing =
        passingStatuses.includes(response.status) || text.includes('<Code>RequestTimeout</Code>');
      return { cause: refusal, isPassing };
    } catch (cause) {
      if (cause instanceof Failure) throw cause;
      return { cause: signal.aborted ? signal.reason : cause, isPassing: true };
    } finally {
      body?.destroy();
    }
  }
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Adds full jitter, so that calls that failed together don't retry together. */
function jitter(waitMs: number): number {
  return Math.random() * Math.min(waitMs, s3BackoffMsMax);
}

async function readText(response: S3Response, bytesMax: number): Promise<string> {
  return (await readBody(response, bytesMax)).toString('utf8');
}

async function readBody(response: S3Response, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response.body) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new Error(`S3 answered more than ${bytesMax} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function busyError(): BlobStoreFailure {
  const sentence = 'The file store is busy: try again in a few seconds.';
  return new BlobStoreFailure('overloaded', sentence, { retryAfterSeconds: 5 });
}

function unavailableError(cause: unknown, attempts: number): BlobStoreFailure {
  return new BlobStoreFailure(
    'blobs_unavailable',
    'The file store does not answer: try again in a few seconds.',
    {
      retryAfterSeconds: 5,
      cause: new Error(`The last of ${attempts} attempts failed.`, { cause }),
    },
  );
}
