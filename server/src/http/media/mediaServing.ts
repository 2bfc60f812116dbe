/** Sends a blob's bytes: from memory, from one read, or as a stream. */
import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { noFileError } from '@tapedeck/domain/files/fileLookup';
import type { BlobStore, ByteRange } from '@tapedeck/domain/ports/blobs';
import type { Clock } from '@tapedeck/domain/ports/clock';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import { frameByteRanges, makeBoundary } from '@tapedeck/web/ranges';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Served } from './mediaContent.ts';
import type { MediaMemory } from './mediaMemory.ts';
import { describePart, planReading } from './responsePlan.ts';

export type ServingDeps = { blobs: BlobStore; clock: Clock; mediaMemory: MediaMemory };

/** Answers conditions and ranges, at once if the bytes are in memory. */
export function sendBytes(
  deps: ServingDeps,
  call: { request: FastifyRequest; reply: FastifyReply },
  served: Served,
): FastifyReply | Promise<FastifyReply> {
  const { request, reply } = call;
  const plan = planReading({ method: request.method, headers: request.headers }, served, deps.clock.now());
  reply.headers(served.validators);
  if (plan.status === 412)
    throw new ServiceError('precondition_failed', 'The file is not the one that the condition names.');
  if (plan.status === 416) {
    reply.header('content-range', `bytes */${served.sizeBytes}`);
    throw new ServiceError(
      'range_unsatisfiable',
      `The file holds ${served.sizeBytes} bytes; none of the ranges is within it.`,
    );
  }
  reply.headers(served.headers);
  if (plan.status === 304) return sendNothing(reply.code(304));
  const ranges = plan.status === 206 ? plan.ranges : null;
  reply.code(plan.status).serializer(bypassSerializer);
  if (ranges !== null && ranges.length > 1) return sendSeveral(deps, call, { ...served, ranges });
  reply.headers(describePart(served, ranges?.[0] ?? null));
  if (request.method === 'HEAD') return sendNothing(reply);
  const range = ranges?.[0] ?? { start: 0, end: served.sizeBytes };
  const bytes = openRange(deps, { served, answer: reply.raw }, range);
  return bytes instanceof Promise ? bytes.then(read => reply.send(read)) : reply.send(bytes);
}

/** Keeps the headers of a stream for HEAD and 304. An absent body would set the length to 0. */
function sendNothing(reply: FastifyReply): FastifyReply {
  return reply.send(Readable.from([]));
}

function bypassSerializer(payload: unknown): string {
  // Bytes and streams bypass the serializer, and nothing else is sent here.
  return payload as string;
}

/** Sends parts one after another, each with its own short read. */
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
      const bytes = await openRange(deps, { served, answer: reply.raw }, range);
      if (bytes instanceof Buffer) yield bytes;
      else yield* bytes;
    }
    yield Buffer.from(frame.tail, 'latin1');
  };
  return reply.send(Readable.from(parts()));
}

type Opened = { served: Served; answer: ServerResponse };

function openRange(
  deps: ServingDeps,
  { served, answer }: Opened,
  range: ByteRange,
): Buffer | Promise<Buffer | Readable> {
  const { mediaMemory } = deps;
  const lengthBytes = range.end - range.start;
  if (lengthBytes === 0) return Buffer.alloc(0);
  const hot = mediaMemory.find(served.place);
  const release = hot === null ? mediaMemory.reserve(lengthBytes) : mediaMemory.hold(hot);
  if (release !== null) {
    if (answer.closed) release();
    else answer.once('close', release);
  }
  if (hot !== null && release !== null) return hot.subarray(range.start, range.end);
  return readRange(deps, { served, isComplete: release !== null }, range);
}

async function readRange(
  { blobs, mediaMemory }: ServingDeps,
  { served, isComplete }: { served: Served; isComplete: boolean },
  range: ByteRange,
): Promise<Buffer | Readable> {
  const { place, sizeBytes } = served;
  const read = isComplete ? await blobs.readBytes(place, range) : await blobs.read(place, range);
  if (read === null) throw noFileError();
  if (read instanceof Buffer && read.length === sizeBytes) mediaMemory.offer(place, read);
  return read;
}
