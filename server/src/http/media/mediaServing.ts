/** Sends the bytes of a blob: what the request asks for, from memory, from one read, or as a stream. */
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { noFileError } from '../../domain/files/reading.ts';
import type { BlobPlace, BlobStore, ByteRange } from '../../domain/ports/blobs.ts';
import type { Clock } from '../../domain/ports/clock.ts';
import { ServiceError } from '../../vocabulary.ts';
import type { Representation } from './conditions.ts';
import type { HotBytes } from './hotBytes.ts';
import { describeRange, frameByteRanges, makeBoundary } from './ranges.ts';
import { planReading } from './reading.ts';
import type { WholeReads } from './wholeReads.ts';

export type ServingDeps = { blobs: BlobStore; clock: Clock; hotBytes: HotBytes; wholeReads: WholeReads };

export type Served = Representation & {
  place: BlobPlace;
  mimeType: string;
  /** The headers of the file. A refusal has none of them, so that caches do not keep it for as long. */
  headers: Readonly<Record<string, string>>;
};

/** Answers conditions and ranges. */
export async function sendBytes(
  deps: ServingDeps,
  call: { request: FastifyRequest; reply: FastifyReply },
  served: Served,
): Promise<FastifyReply> {
  const { request, reply } = call;
  const plan = planReading({ method: request.method, headers: request.headers }, served, deps.clock.now());
  reply.header('etag', served.etag);
  reply.header('last-modified', new Date(served.lastModifiedAt).toUTCString());
  reply.header('accept-ranges', 'bytes');
  if (plan.status === 412)
    throw new ServiceError('precondition_failed', 'The file is not the one that the condition names.');
  if (plan.status === 416) {
    reply.header('content-range', `bytes */${served.sizeBytes}`);
    throw new ServiceError(
      'range_unsatisfiable',
      `The file holds ${served.sizeBytes} bytes; none of the ranges lies inside.`,
    );
  }
  reply.headers(served.headers);
  if (plan.status === 304) return sendNothing(reply.code(304));
  const ranges = plan.status === 206 ? plan.ranges : null;
  reply.code(plan.status).serializer(passOn);
  if (ranges !== null && ranges.length > 1) return sendSeveral(deps, call, { ...served, ranges });
  const range = ranges?.[0] ?? { start: 0, end: served.sizeBytes };
  if (ranges !== null) reply.header('content-range', describeRange(range, served.sizeBytes));
  reply.type(served.mimeType).header('content-length', range.end - range.start);
  if (request.method === 'HEAD') return sendNothing(reply);
  return reply.send(await openRange(deps, { ...served, answer: reply.raw }, range));
}

/** For HEAD and 304: the headers stay as they are for a stream, where an absent body would set the length to 0. */
function sendNothing(reply: FastifyReply): FastifyReply {
  return reply.send(Readable.from([]));
}

function passOn(payload: unknown): string {
  // Bytes and streams pass the serializer by; nothing else is sent here.
  return payload as string;
}

/** One part after the other, each from its own short read. */
function sendSeveral(
  deps: ServingDeps,
  { request, reply }: { request: FastifyRequest; reply: FastifyReply },
  served: Served & { ranges: readonly ByteRange[] },
): FastifyReply {
  const frame = frameByteRanges(served.ranges, served, makeBoundary());
  reply.type(frame.contentType).header('content-length', frame.contentLength);
  if (request.method === 'HEAD') return sendNothing(reply);
  reply.raw.setMaxListeners(served.ranges.length + EventEmitter.defaultMaxListeners); // one more for each part
  const parts = async function* () {
    for (const [index, range] of served.ranges.entries()) {
      yield Buffer.from(frame.heads[index] ?? '', 'latin1');
      const bytes = await openRange(deps, { ...served, answer: reply.raw }, range);
      if (bytes instanceof Buffer) yield bytes;
      else yield* bytes;
    }
    yield Buffer.from(frame.tail, 'latin1');
  };
  return reply.send(Readable.from(parts()));
}

async function openRange(
  { blobs, hotBytes, wholeReads }: ServingDeps,
  { place, sizeBytes, answer }: Served & { answer: ServerResponse },
  range: ByteRange,
): Promise<Buffer | Readable> {
  const lengthBytes = range.end - range.start;
  if (lengthBytes === 0) return Buffer.alloc(0);
  const hot = hotBytes.find(place);
  const release = hot === null ? wholeReads.take(lengthBytes) : wholeReads.hold(hot);
  if (release === null) {
    const stream = await blobs.read(place, range);
    if (stream === null) throw noFileError();
    return stream;
  }
  if (answer.closed) release();
  else answer.once('close', release);
  if (hot !== null) return hot.subarray(range.start, range.end);
  const bytes = await blobs.readBytes(place, range);
  if (bytes === null) throw noFileError();
  if (lengthBytes === sizeBytes) hotBytes.offer(place, bytes);
  return bytes;
}
