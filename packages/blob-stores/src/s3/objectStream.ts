/** Streams a range of an S3 object. Resumes where S3 broke off, and ends with its reader. */
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { ByteRange } from '../blobStore.ts';
import { BlobStoreFailure } from '../failures.ts';
import type { S3Client } from './client.ts';
import type { S3Response, S3Timeouts } from './connection.ts';

/** Returns null if there is no such object. */
export async function openObjectStream(
  client: S3Client,
  key: string,
  range: ByteRange,
): Promise<Readable | null> {
  const abort = new AbortController();
  const open = (start: number) => openBody(client, { key, start, end: range.end }, abort.signal);
  const first = await open(range.start);
  if (first === null) return null;
  const chunks = readOn({ first, open }, range, client.timeouts);
  return new Readable({
    highWaterMark: 0, // the connection reads ahead enough
    read() {
      chunks.next().then(
        ({ value }) => this.push(value ?? null),
        error => this.destroy(error),
      );
    },
    destroy(error, done) {
      abort.abort();
      first[Symbol.dispose](); // a generator that was never started runs no `finally`
      chunks.return(undefined).then(
        () => done(error),
        () => done(error), // we cut the body on purpose
      );
    },
  });
}

/** A body in progress and its read slot. Disposing twice is fine. */
type OpenBody = Disposable & { body: Readable };

/** Returns null if there is no such object. */
async function openBody(
  client: S3Client,
  { key, start, end }: ByteRange & { key: string },
  signal: AbortSignal,
): Promise<OpenBody | null> {
  const headers = { range: `bytes=${start}-${end - 1}` };
  const { response, release } = await client.open({ method: 'GET', key, headers }, [404], signal);
  const { status, body } = response;
  if (status === 404) {
    body.resume();
    release();
    return null;
  }
  const dispose = () => {
    body.destroy();
    release();
  };
  if (!answersRange(response, start)) {
    dispose();
    throw rangeError(response, start);
  }
  response.allowSilence();
  return { body, [Symbol.dispose]: dispose };
}

async function* readOn(
  { first, open }: { first: OpenBody; open: (start: number) => Promise<OpenBody | null> },
  range: ByteRange,
  { attemptsMax, backoffMs, idleMsMax }: S3Timeouts,
): AsyncGenerator<Buffer, undefined> {
  let position = range.start;
  let failures = 0;
  for (let current: OpenBody | null = first; ; ) {
    try {
      for await (const chunk of readPatiently(current.body, idleMsMax)) {
        position += chunk.length;
        failures = 0;
        yield chunk;
      }
      if (position >= range.end) return undefined;
      throw new Error('S3 ended its answer too early');
    } catch (error) {
      if (++failures >= attemptsMax) throw error;
    } finally {
      current[Symbol.dispose]();
    }
    await wait(backoffMs * failures);
    current = await open(position);
    if (current === null)
      throw new BlobStoreFailure('blobs_unavailable', 'The file was deleted while it was read.');
  }
}

/** Times only the waits for S3, not the waits for the reader. */
async function* readPatiently(body: Readable, idleMsMax: number): AsyncGenerator<Buffer> {
  const chunks = body[Symbol.asyncIterator]();
  for (;;) {
    const timer = setTimeout(() => body.destroy(new Error('S3 stopped in mid-answer')), idleMsMax);
    const { value, done } = await chunks.next().finally(() => clearTimeout(timer));
    if (done) return;
    yield value;
  }
}

/** True if the answer is the requested range. Another range would corrupt what readers put together. */
function answersRange({ status, headers }: S3Response, start: number): boolean {
  return status === 206 && headers['content-range']?.startsWith(`bytes ${start}-`) === true;
}

function rangeError({ status, headers }: S3Response, start: number): BlobStoreFailure {
  return new BlobStoreFailure('blobs_unavailable', 'The file store does not support ranges.', {
    cause: new Error(
      `S3 answered ${status} with Content-Range ${headers['content-range']} to a range from ${start}`,
    ),
  });
}
