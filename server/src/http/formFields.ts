/** The text fields of a form that have one of some names; whatever else the form holds is passed over. */
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../vocabulary.ts';

/** Of two fields of one name the last one counts. */
export async function readFormFields(
  request: FastifyRequest,
  names: readonly string[],
  bytesMax: number,
): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  const cut: string[] = [];
  try {
    // Busboy wants the header that a form always has.
    const headers = request.headers as typeof request.headers & { 'content-type': string };
    const parser = new Busboy({ headers, limits: { fieldSize: bytesMax, fields: 64, parts: 128 } });
    parser.on('field', (field: string, value: string, _nameIsCut: boolean, valueIsCut: boolean) => {
      if (!names.includes(field)) return;
      found.set(field, value);
      if (valueIsCut) cut.push(field);
    });
    parser.on('file', (_field: string, stream: Readable) => stream.resume());
    // Routes that stream hand the body on as it comes.
    await pipeline(request.body as Readable, parser);
  } catch (cause) {
    throw new ServiceError('bad_request', 'The form could not be read; check its boundary and its end.', {
      cause,
    });
  }
  if (cut.length > 0)
    throw new ServiceError('body_too_large', `The field ${cut[0]} may hold at most ${bytesMax} bytes.`);
  return found;
}
