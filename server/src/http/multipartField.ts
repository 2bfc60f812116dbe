/** One text field of a form; whatever else the form holds is passed over. */
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Busboy } from '@fastify/busboy';
import type { FastifyRequest } from 'fastify';
import { ServiceError } from '../vocabulary.ts';

export async function readFormField(
  request: FastifyRequest,
  name: string,
  bytesMax: number,
): Promise<Buffer> {
  const found: { value: string | null; isCut: boolean } = { value: null, isCut: false };
  try {
    // Busboy wants the header that a form always has.
    const headers = request.headers as typeof request.headers & { 'content-type': string };
    const parser = new Busboy({ headers, limits: { fieldSize: bytesMax, fields: 64, parts: 128 } });
    parser.on('field', (field: string, value: string, _nameIsCut: boolean, valueIsCut: boolean) => {
      if (field === name) Object.assign(found, { value, isCut: valueIsCut });
    });
    parser.on('file', (_field: string, stream: Readable) => stream.resume());
    // Routes that stream hand the body on as it comes.
    await pipeline(request.body as Readable, parser);
  } catch (cause) {
    throw new ServiceError('bad_request', 'The form could not be read; check its boundary and its end.', {
      cause,
    });
  }
  if (found.isCut)
    throw new ServiceError('body_too_large', `The field ${name} may hold at most ${bytesMax} bytes.`);
  if (found.value === null) throw new ServiceError('bad_request', `The form lacks the field ${name}.`);
  return Buffer.from(found.value);
}
