/** Sends JSON answers, compressed on request. Pages of lines and texts to search shrink to a tenth or a quarter. */
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { constants, createGzip, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { jsonType } from './responseHeaders.ts';
import { holdAnswer } from './responseMemory.ts';

const level = constants.Z_BEST_SPEED;
const compress = promisify(gzip); // runs in Node.js's thread pool
const plainBytesMax = 1_400; // one packet: compressing less gains nothing
const wanted = /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?=,|$)/i;

export async function sendJson(reply: FastifyReply, body: unknown): Promise<FastifyReply> {
  const text = JSON.stringify(body);
  reply.type(jsonType).header('vary', 'Accept-Encoding');
  if (text.length <= plainBytesMax || !acceptsGzip(reply.request))
    return reply.serializer((plain: string) => plain).send(text);
  const packed = await compress(text, { level });
  return reply.header('content-encoding', 'gzip').send(packed);
}

const streamedBytesMin = 1024 * 1024; // copying fewer into one buffer takes no time
const partCharactersMax = 64 * 1024;

/** A text in parts, which may be longer than a string that is encoded in one go. */
export class LongText {
  readonly #parts: Buffer[] = [];
  #rest = '';
  bytes = 0;

  add(text: string): void {
    this.#rest += text;
    if (this.#rest.length >= partCharactersMax) this.#encode();
  }

  finish(): readonly Buffer[] {
    this.#encode();
    return this.#parts;
  }

  #encode(): void {
    const part = Buffer.from(this.#rest);
    this.#rest = '';
    this.bytes += part.length;
    this.#parts.push(part);
  }
}

/** Sends JSON that was written in parts. */
export async function sendText(reply: FastifyReply, text: LongText): Promise<FastifyReply> {
  const parts = text.finish();
  const refusal = holdAnswer(reply, text.bytes);
  if (refusal !== null) throw refusal;
  reply.type(jsonType).header('vary', 'Accept-Encoding');
  const isPacked = text.bytes > plainBytesMax && acceptsGzip(reply.request);
  if (isPacked) reply.header('content-encoding', 'gzip');
  if (text.bytes < streamedBytesMin) {
    const whole = Buffer.concat(parts);
    return reply.send(isPacked ? await compress(whole, { level }) : whole);
  }
  const stream = Readable.from(parts);
  return reply.send(isPacked ? stream.pipe(createGzip({ level })) : stream);
}

function acceptsGzip({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return wanted.test(String(headers['accept-encoding'] ?? ''));
}
