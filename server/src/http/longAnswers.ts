/** Sends long answers in turns: a page of a hundred entries may hold four hundred megabytes, which take seconds to write at once. */
import { Readable } from 'node:stream';
import { takeTurns } from '@tapedeck/concurrency/turns';
import type { FastifyReply } from 'fastify';
import { jsonType } from './responseHeaders.ts';

const listDepthMax = 2; // lists of rows lie in `data`, or in an object there

/** The answer must have only fields of the response's shape. */
export function sendInTurns(reply: FastifyReply, answer: object): FastifyReply {
  return reply
    .type(jsonType)
    .serializer((payload: string) => payload)
    .send(Readable.from(writeInTurns(answer)));
}

async function* writeInTurns(answer: object): AsyncGenerator<Buffer> {
  const takeTurn = takeTurns(1);
  for (const part of writeParts(answer, 0)) {
    yield Buffer.from(part);
    await takeTurn();
  }
}

function* writeParts(value: unknown, depth: number): Generator<string> {
  if (Array.isArray(value)) {
    for (const [index, row] of value.entries()) yield (index === 0 ? '[' : ',') + JSON.stringify(row);
    yield value.length === 0 ? '[]' : ']';
  } else if (typeof value === 'object' && value !== null && depth < listDepthMax) {
    let sign = '{';
    for (const [name, inner] of Object.entries(value)) {
      if (inner === undefined) continue;
      yield `${sign}${JSON.stringify(name)}:`;
      yield* writeParts(inner, depth + 1);
      sign = ',';
    }
    yield sign === '{' ? '{}' : '}';
  } else yield JSON.stringify(value);
}
