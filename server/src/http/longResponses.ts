/**
 * Writes long JSON in turns: a page of a hundred entries may hold four hundred megabytes, and a single entry four, which take a tenth of a second
 * if most letters need escapes. Rows may come as a stream, so that they are read while they are written.
 */
import { Readable } from 'node:stream';
import { takeTurns } from '@tapedeck/concurrency/turns';
import type { FastifyReply } from 'fastify';
import { jsonType } from './responseHeaders.ts';
import { holdAnswer } from './responseMemory.ts';

const listDepthMax = 2; // lists of rows lie in `data`, or in an object there
const briefCharactersMax = 256 * 1024; // written in a few milliseconds
const streamedCharactersMax = 8 * 1024 * 1024; // what a stream of entries holds (`streamListed`)

/** Whether the value should be written in turns. */
export function isLong(value: object): boolean {
  return countCharacters(value, briefCharactersMax) > briefCharactersMax;
}

/** Stops counting once there are more than `enough`. */
function countCharacters(value: unknown, enough: number): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 1;
  if (Symbol.asyncIterator in value) return streamedCharactersMax;
  let characters = 0;
  for (const name in value) {
    // The name is a key of the value.
    characters += name.length + countCharacters(value[name as keyof typeof value], enough);
    if (characters > enough) break;
  }
  return characters;
}

/** The answer must have only fields of the response's shape. Its lists may be streams. If one fails, the connection is cut, as in an export. */
export function sendInTurns(reply: FastifyReply, answer: object): FastifyReply {
  const refusal = holdAnswer(reply, countCharacters(answer, Number.POSITIVE_INFINITY));
  if (refusal !== null) throw refusal;
  return reply
    .type(jsonType)
    .serializer((payload: string) => payload)
    .send(Readable.from(writeInTurns(answer), { objectMode: false }));
}

async function* writeInTurns(answer: object): AsyncGenerator<Buffer> {
  const takeTurn = takeTurns(1);
  for await (const part of writeParts(answer, 0)) {
    yield Buffer.from(part);
    await takeTurn();
  }
}

async function* writeParts(value: unknown, depth: number): AsyncGenerator<string> {
  if (isList(value)) {
    let sign = '[';
    for await (const row of value) {
      yield sign;
      yield* writePieces(row);
      sign = ',';
    }
    yield sign === '[' ? '[]' : ']';
  } else if (typeof value === 'object' && value !== null && depth < listDepthMax) {
    let sign = '{';
    for (const [name, inner] of Object.entries(value)) {
      if (inner === undefined) continue;
      yield `${sign}${JSON.stringify(name)}:`;
      yield* writeParts(inner, depth + 1);
      sign = ',';
    }
    yield sign === '{' ? '{}' : '}';
  } else yield* writePieces(value);
}

function isList(value: unknown): value is Iterable<unknown> | AsyncIterable<unknown> {
  return (
    Array.isArray(value) || (typeof value === 'object' && value !== null && Symbol.asyncIterator in value)
  );
}

/** Writes JSON. Splits long objects by their fields. */
export function* writePieces(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !isLong(value)) {
    yield JSON.stringify(value);
    return;
  }
  let sign = '{';
  for (const [name, inner] of Object.entries(value)) {
    if (inner === undefined) continue;
    yield `${sign}${JSON.stringify(name)}:`;
    yield* writePieces(inner);
    sign = ',';
  }
  yield '}'; // a long object has fields
}
