/** Sends JSON answers, compressed on request like Loki's own: pages of lines shrink to a tenth. */
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { jsonType } from '../responseHeaders.ts';

const compress = promisify(gzip); // runs in Node.js's thread pool
const plainBytesMax = 1_400; // one packet: compressing less gains nothing
const wanted = /(?:^|,)\s*(?:gzip|\*)\s*(?:;\s*q=(?!0(?:\.0*)?\s*(?:,|$))[\d.]+\s*)?(?=,|$)/i;

export async function sendJson(reply: FastifyReply, body: unknown): Promise<FastifyReply> {
  const text = JSON.stringify(body);
  reply.type(jsonType).header('vary', 'Accept-Encoding');
  if (text.length <= plainBytesMax || !takesGzip(reply.request))
    return reply.serializer((plain: string) => plain).send(text);
  const packed = await compress(text, { level: constants.Z_BEST_SPEED });
  return reply.header('content-encoding', 'gzip').send(packed);
}

function takesGzip({ headers }: Pick<FastifyRequest, 'headers'>): boolean {
  return wanted.test(String(headers['accept-encoding'] ?? ''));
}
