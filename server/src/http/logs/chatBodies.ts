/** Reads the payload of a chat webhook from JSON or a form, and returns the JSON that the domain takes. */
import type { FastifyRequest } from 'fastify';
import { decodeBody, parseBody } from '../../domain/logs/intake/bodies.ts';
import { limits, ServiceError } from '../../vocabulary.ts';
import { declaredType } from '../bodies/declaredTypes.ts';
import { readFormFields } from '../bodies/formFields.ts';
import { translateAttachments } from './attachmentMessages.ts';
import { type PackedBody, readPackedJson } from './logBodies.ts';

/** The fields of a form that people write by hand, without the field `payload_json`. */
const texts = ['content', 'username', 'avatar_url'];
const fieldNames = ['payload_json', ...texts];

export async function readChatBody(request: FastifyRequest): Promise<PackedBody> {
  const type = declaredType(request);
  if (type === 'multipart/form-data')
    return composeFields(await readFormFields(request, fieldNames, limits.logBatchBytesMax));
  const { body, contentEncoding } = await readPackedJson(request);
  const isForm = type === 'application/x-www-form-urlencoded' && contentEncoding === undefined;
  return isForm && !looksLikeJson(body)
    ? composeFields(new Map(new URLSearchParams(body.toString())))
    : { body, contentEncoding };
}

/** A message with a text and attachments, as a chat payload. */
export async function readAttachmentBody(request: FastifyRequest): Promise<PackedBody> {
  const { body, contentEncoding } = await readPackedJson(request);
  using decoded = await decodeBody(body, contentEncoding);
  const message = parseBody(decoded.bytes);
  return { body: Buffer.from(JSON.stringify(translateAttachments(message))), contentEncoding: undefined };
}

function composeFields(sent: ReadonlyMap<string, string>): PackedBody {
  const fields = [...sent].filter(([name]) => fieldNames.includes(name));
  if (fields.length === 0) {
    throw new ServiceError(
      'bad_request',
      'The form needs a field payload_json or content; its files are not kept here: upload them to /api/v3/file.',
    );
  }
  const body = Buffer.from(sent.get('payload_json') ?? JSON.stringify(Object.fromEntries(fields)));
  return { body, contentEncoding: undefined };
}

/** Whether a body that is declared as a form holds JSON, as some tools send it. */
function looksLikeJson(body: Buffer): boolean {
  return /^\s*[[{]/.test(body.toString('latin1', 0, 64));
}
