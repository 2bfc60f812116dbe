/** Reads the text fields of a form that have one of the given names. Other fields and files are passed over. */
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { limits, ServiceError } from '../../vocabulary.ts';
import { holderOf } from '../holders.ts';
import { crowdedError, HeldBytes, slowBodyError } from './heldBytes.ts';

const binaryType = 'application/octet-stream';
const framingBytesMax = 1024 * 1024; // heads of parts, and what belongs to a file and comes in one piece with its neighbours

/** Where two fields have the same name, the last one counts. */
export async function readFormFields(
  request: FastifyRequest,
  names: readonly string[],
  bytesMax: number,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const cut: string[] = [];
  const parser = openParser(request, names, bytesMax);
  parser.on('field', (field: string, value: string, _nameIsCut: boolean, valueIsCut: boolean) => {
    if (!names.includes(field)) return;
    found.set(field, value);
    if (valueIsCut) cut.push(field);
  });
  // On a route that declares `stream` the body is the readable request.
  await parse(request.body as Readable, parser, { bytesMax, holder: holderOf(request) });
  if (cut.length > 0)
    throw new ServiceError('body_too_large', `The field ${cut[0]} may hold at most ${bytesMax} bytes.`);
  return found;
}

function openParser({ headers }: FastifyRequest, names: readonly string[], bytesMax: number): BusboyInstance {
  try {
    // Busboy wants the header that a form always has.
    const formHeaders = headers as typeof headers & { 'content-type': string };
    const parser = new Busboy({
      headers: formHeaders,
      limits: {
        fieldSize: bytesMax,
        headerSize: limits.headersBytesMax,
        fields: limits.chatFormFieldsMax,
        parts: limits.chatFormPartsMax,
      },
      // Browsers name a file for every field that is not plain text, such as a Blob of JSON.
      isPartAFile: (field, type, filename) =>
        !(field !== undefined && names.includes(field)) && (filename !== undefined || type === binaryType),
    });
    return parser;
  } catch (cause) {
    throw unreadableError(cause);
  }
}

/** `bytesMax`: of each field. */
type FieldTerms = { bytesMax: number; holder: string };

/** Leaves the rest of a refused body unread, so that its sender can read the refusal. */
async function parse(body: Readable, parser: BusboyInstance, terms: FieldTerms): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const fail = (error: unknown) => {
    body.unpipe(parser);
    body.pause();
    reject(error);
  };
  const count = countBytes(parser, terms, () => {
    fail(slowBodyError());
    count.letGo();
  });
  const end = () => {
    if (!body.readableEnded) fail(unreadableError());
  };
  const take = (chunk: Buffer) => {
    const failure = count.add(chunk.length);
    if (failure) fail(failure);
  };
  body.on('data', take);
  body.on('error', cause => fail(unreadableError(cause)));
  body.once('close', end);
  // Thousands of empty parts in one piece would be passed over for tenths of a second.
  parser.once('partsLimit', () => fail(tooManyPartsError()));
  parser.once('finish', resolve);
  parser.on('error', cause => fail(unreadableError(cause)));
  body.pipe(parser);
  if (body.destroyed) end(); // closed earlier, so that no `close` event will come
  try {
    await promise;
  } finally {
    body.off('data', take);
    count.letGo();
  }
}

type ByteCount = { add(bytes: number): ServiceError | null; letGo(): void };

/** Counts all bytes of the form, and as held those that are not of files: the parser keeps them. */
function countBytes(
  parser: BusboyInstance,
  { bytesMax: fieldBytesMax, holder }: FieldTerms,
  endSlow: () => void,
): ByteCount {
  const held = new HeldBytes(holder, endSlow);
  let formBytes = 0;
  let fieldBytes = 0;
  let openFiles = 0;
  parser.on('file', (_field: string, file: Readable) => {
    openFiles += 1;
    file.on('error', () => {}).once('end', () => (openFiles -= 1));
    file.resume();
  });
  return {
    add(bytes) {
      formBytes += bytes;
      if (formBytes > limits.chatFormBytesMax) return formTooLargeError();
      if (openFiles > 0) {
        held.pass(bytes);
        return null;
      }
      fieldBytes += bytes;
      if (fieldBytes > fieldBytesMax + framingBytesMax) return fieldsTooLargeError(fieldBytesMax);
      return held.add(bytes) ? null : crowdedError();
    },
    letGo: () => held.letGo(),
  };
}

function unreadableError(cause?: unknown): ServiceError {
  const sentence = 'The form could not be read; check its boundary and its end.';
  return new ServiceError('bad_request', sentence, { cause });
}

function tooManyPartsError(): ServiceError {
  return new ServiceError('bad_request', `A form may have at most ${limits.chatFormPartsMax} parts.`);
}

function formTooLargeError(): ServiceError {
  const sentence = `The form may hold at most ${limits.chatFormBytesMax} bytes, files included; they are not kept.`;
  return new ServiceError('body_too_large', sentence);
}

function fieldsTooLargeError(bytesMax: number): ServiceError {
  return new ServiceError(
    'body_too_large',
    `The fields of a form may hold at most ${bytesMax} bytes together.`,
  );
}
