/** Converts the payload of a chat webhook from JSON or a form into the domain's JSON. */
import { chatFieldNames, composePayload } from '@tapedeck/chat-messages';
import type { SentFile } from '@tapedeck/domain/files/messageFiles';
import { limits, ServiceError } from '@tapedeck/domain/vocabulary';
import { type DecodedBody, formFieldsMax } from '@tapedeck/request-bodies';
import type { FastifyRequest } from 'fastify';
import { shareKeyOf } from '../authentication.ts';
import { readContentType } from '../connection/requestHeads.ts';
import { decodeLogBody, readJsonBody } from './logRequests.ts';
import { readMessageForm, type StagingDeps } from './messageForms.ts';

/** A payload and its files; null: the form of the body cannot carry files. The caller disposes of it. */
type ChatBody = AsyncDisposable & { bytes: Buffer; files: readonly SentFile[] | null };

type ChatBodyOptions = { keepsFiles: boolean };

export async function readChatBody(
  deps: StagingDeps,
  request: FastifyRequest,
  { keepsFiles }: ChatBodyOptions,
): Promise<ChatBody> {
  const type = readContentType(request.headers);
  if (type === 'multipart/form-data') {
    requirePlain(request);
    await using opened = new AsyncDisposableStack();
    const form = opened.use(await readMessageForm(deps, request, { names: chatFieldNames, keepsFiles }));
    const files = form.files.length > 0 ? form.files : null;
    const composed = composePayload(form.fields, files !== null);
    const holder = shareKeyOf(request);
    const { bytes } = opened.use(
      await decodeLogBody({ bytes: composed, contentEncoding: undefined, holder }),
    );
    const kept = opened.move();
    return { bytes, files, [Symbol.asyncDispose]: () => kept.disposeAsync() };
  }
  const isForm = type === 'application/x-www-form-urlencoded';
  const body = translate(await readJsonBody(request), sent =>
    isForm && !looksLikeJson(sent) ? composePayload(readUrlForm(sent), false) : sent,
  );
  return { bytes: body.bytes, files: null, [Symbol.asyncDispose]: async () => body[Symbol.dispose]() };
}

/** Requires an uncompressed form, because senders of forms do not compress them. */
function requirePlain({ headers }: FastifyRequest): void {
  const encoding = headers['content-encoding']?.trim().toLowerCase() || 'identity';
  if (encoding === 'identity') return;
  throw new ServiceError(
    'unsupported_content_type',
    'A form must have no Content-Encoding; send the payload as JSON to compress it.',
  );
}

/** Replaces a body with its translation, which takes over its share of memory. */
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
  // Surplus fields are ignored, as in multipart forms.
  const fields = sent.toString('latin1').split('&', formFieldsMax).join('&');
  return new Map(new URLSearchParams(fields));
}

/** Returns whether a body declared as a form holds JSON, as some tools send it. */
function looksLikeJson(body: Buffer): boolean {
  return /^\s*[[{]/.test(body.toString('latin1', 0, 64));
}
