/** Reads the text fields of a form that have one of the given names. Other fields and files are passed over. */
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { limits, ServiceError } from '../../vocabulary.ts';

/** Where two fields have the same name, the last one counts. */
export async function readFormFields(
  request: FastifyRequest,
  names: readonly string[],
  bytesMax: number,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const cut: string[] = [];
  const parser = openParser(request, bytesMax);
  parser.on('field', (field: string, value: string, _nameIsCut: boolean, valueIsCut: boolean) => {
    if (!names.includes(field)) return;
    found.set(field, value);
    if (valueIsCut) cut.push(field);
  });
  // On a route that declares `stream` the body is the readable request.
  await parse(request.body as Readable, parser);
  if (cut.length > 0)
    throw new ServiceError('body_too_large', `The field ${cut[0]} may hold at most ${bytesMax} bytes.`);
  return found;
}

function openParser({ headers }: FastifyRequest, bytesMax: number): BusboyInstance {
  try {
    // Busboy wants the header that a form always has.
    const formHeaders = headers as typeof headers & { 'content-type': string };
    const parser = new Busboy({
      headers: formHeaders,
      limits: {
        fieldSize: bytesMax,
        fields: limits.chatFormFieldsMax,
        parts: limits.chatFormPartsMax,
      },
    });
    parser.on('file', (_field: string, stream: Readable) => stream.on('error', () => {}).resume());
    return parser;
  } catch (cause) {
    throw unreadableError(cause);
  }
}

/** Leaves the rest of a refused body unread, so that its sender can read the refusal. */
function parse(body: Readable, parser: BusboyInstance): Promise<void> {
  let length = 0;
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      body.unpipe(parser);
      body.pause();
      reject(error);
    };
    const end = () => {
      if (!body.readableEnded) fail(unreadableError());
    };
    body.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > limits.chatFormBytesMax) fail(tooLargeError());
    });
    body.on('error', cause => fail(unreadableError(cause)));
    body.once('close', end);
    parser.once('finish', resolve);
    parser.on('error', cause => fail(unreadableError(cause)));
    body.pipe(parser);
    if (body.destroyed) end(); // closed earlier, so that no `close` event will come
  });
}

function unreadableError(cause?: unknown): ServiceError {
  const sentence = 'The form could not be read; check its boundary and its end.';
  return new ServiceError('bad_request', sentence, { cause });
}

function tooLargeError(): ServiceError {
  const sentence = `The form may hold at most ${limits.chatFormBytesMax} bytes, files included; they are not kept.`;
  return new ServiceError('body_too_large', sentence);
}
