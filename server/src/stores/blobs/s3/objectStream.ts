/** A range of an S3 object as a stream: goes on where it was when S3 breaks off, and ends with its reader. */
import { Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import type { ByteRange } from '../../../domain/ports/blobs.ts';
import { ServiceError } from '../../../vocabulary.ts';
import type { S3Client } from './client.ts';
import type { S3Patience, S3Response } from './connection.ts';

/** null when there is no such object. */
export async function openObjectStream(
  client: S3Client,
  key: string,
  range: ByteRange,
): Promise<Readable | null> {
  const abort = new AbortController();
  const open = async (start: number): Promise<OpenBody | null> => {
    const headers = { range: `bytes=${start}-${range.end - 1}` };
    const { response, release } = await client.open({ method: 'GET', key, headers }, [404], abort.signal);
    if (response.status === 404) {
      response.body.resume();
      release();
      return null;
    }
    checkRange(response, start);
    response.allowSilence();
    return { body: response.body, release };
  };
  const first = await open(range.start);
  if (first === null) return null;
  const chunks = readOn({ first, open }, range, client.patience);
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
      chunks.return(undefined).then(
        () => done(error),
        () => done(error), // a body that was cut on purpose
      );
    },
  });
}

type OpenBody = { body: Readable; release: () => void };

async function* readOn(
  { first, open }: { first: OpenBody; open: (start: number) => Promise<OpenBody | null> },
  range: ByteRange,
  { attemptsMax, backoffMs, idleMsMax }: S3Patience,
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
      current.body.destroy();
      current.release();
    }
    await wait(backoffMs * failures);
    current = await open(position);
    if (current === null)
      throw new ServiceError('blobs_unavailable', 'The file went away while it was read.');
  }
}

/** Time runs only while the reader waits for S3, not while S3 waits for the reader. */
async function* readPatiently(body: Readable, idleMsMax: number): AsyncGenerator<Buffer> {
  const chunks = body[Symbol.asyncIterator]();
  for (;;) {
    const timer = setTimeout(() => body.destroy(new Error('S3 stopped in mid-answer')), idleMsMax);
    const { value, done } = await chunks.next().finally(() => clearTimeout(timer));
    if (done) return;
    yield value;
  }
}

/** A store that ignored the range, or answered another one, would corrupt what is put together from ranges. */
function checkRange({ status, headers, body }: S3Response, start: number): void {
  if (status === 206 && headers['content-range']?.startsWith(`bytes ${start}-`)) return;
  body.destroy();
  throw new ServiceError('blobs_unavailable', 'The file store does not answer ranges.', {
    cause: new Error(
      `S3 answered ${status} with Content-Range ${headers['content-range']} to a range from ${start}`,
    ),
  });
}
