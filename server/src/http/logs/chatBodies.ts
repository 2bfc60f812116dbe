/** Reads the payload of a chat webhook from JSON or a form, and returns the JSON that the domain takes. */
import type { FastifyRequest } from 'fastify';
import { limits, ServiceError } from '../../vocabulary.ts';
import { declaredType } from '../bodies/declaredTypes.ts';
import { type DecodedBody, decodeBody } from '../bodies/decoding.ts';
import { readFormFields } from '../bodies/formFields.ts';
import { holderOf } from '../holders.ts';
import { readJsonBody } from './logBodies.ts';

/** The fields of a form that people write by hand, without the field `payload_json`. */
const texts = ['content', 'username', 'avatar_url'];
const fieldNames = ['payload_json', ...texts];

export async function readChatBody(request: FastifyRequest): Promise<DecodedBody> {
  const type = declaredType(request);
  if (type === 'multipart/form-data') {
    requirePlain(request);
    const fields = await readFormFields(request, fieldNames, limits.logBatchBytesMax);
    const bytes = composeFields(fields);
    return decodeBody({ bytes, contentEncoding: undefined, holder: holderOf(request) });
  }
  const isForm = type === 'application/x-www-form-urlencoded';
  return translate(await readJsonBody(request), sent =>
    isForm && !looksLikeJson(sent) ? composeFields(readUrlForm(sent)) : sent,
  );
}

/** Forms are read as they come: what sends them does not compress them. */
function requirePlain({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase() || 'identity';
  if (encoding === 'identity') return;
  throw new ServiceError(
    'unsupported_content_type',
    'A form is taken without Content-Encoding only; send the payload as JSON to compress it.',
  );
}

/** The translation takes the place in memory that the body had its turn for. */
function translate(body: DecodedBody, compose: (sent: Buffer) => Buffer): DecodedBody {
  using held = new DisposableStack();
  const bytes = compose(held.use(body).bytes);
  const kept = held.move();
  return { bytes, [Symbol.dispose]: () => kept.dispose() };
}

function readUrlForm(sent: Buffer): Map<string, string> {
  if (sent.length > limits.chatUrlFormBytesMax) {
    throw new ServiceError(
      'body_too_large',
      `A URL-encoded form may hold at most ${limits.chatUrlFormBytesMax} bytes; send the payload as JSON.`,
    );
  }
  // Of a form in parts surplus fields are passed over as well.
  const fields = sent.toString('latin1').split('&', limits.chatFormFieldsMax).join('&');
  return new Map(new URLSearchParams(fields));
}

function composeFields(sent: ReadonlyMap<string, string>): Buffer {
  const fields = [...sent].filter(([name]) => fieldNames.includes(name));
  if (fields.length === 0) {
    throw new ServiceError(
      'bad_request',
      'The form needs a field payload_json or content; its files are not kept here: upload them to /api/v3/file.',
    );
  }
  return Buffer.from(sent.get('payload_json') ?? JSON.stringify(Object.fromEntries(fields)));
}

/** Whether a body that is declared as a form holds JSON, as some tools send it. */
function looksLikeJson(body: Buffer): boolean {
  return /^\s*[[{]/.test(body.toString('latin1', 0, 64));
}
