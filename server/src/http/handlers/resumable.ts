/** Handles resumable uploads: translates headers for the domain and back. */
import type { Readable } from 'node:stream';
import * as contract from '@tapedeck/contract/resumable';
import { noFileError } from '@tapedeck/domain/files/fileLookup';
import type { UrlDeps } from '@tapedeck/domain/files/naming';
import { readPresignedToken } from '@tapedeck/domain/files/presigned';
import { requireLivingMaker } from '@tapedeck/domain/files/presignedMakers';
import {
  beginUpload,
  findUpload,
  makeUploader,
  makeUse,
  type ResumableDeps as ResumableWorkDeps,
  type Uploader,
} from '@tapedeck/domain/files/resumable';
import type { TokenPrincipal } from '@tapedeck/domain/identity/principals';
import type { Upload } from '@tapedeck/domain/ports/resumableUploads';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import { readChunks } from '@tapedeck/request-bodies';
import {
  type Chunk,
  describeUpload,
  readChunk,
  readCreation,
  requireVersion,
  type SentChunk,
} from '@tapedeck/resumable-uploads';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { confirmAccess } from '../authentication.ts';
import { parseUploadFields } from '../bodies/uploadReading.ts';
import { type FormatFailure, type HandledRoute, handle } from '../routing.ts';
import { writeUpload } from './files.ts';

export type ResumableDeps = ResumableWorkDeps & UrlDeps;

type Exchange = { request: FastifyRequest; reply: FastifyReply };
type TokenCall = Exchange & { caller: TokenPrincipal };
type PresignedCall = Exchange & { params: { token: string } };
type UploadExchange = Exchange & { uploader: Uploader };

export function handleResumable(deps: ResumableDeps): HandledRoute[] {
  const asToken = ({ caller, request, reply }: TokenCall): UploadExchange => ({
    request,
    reply,
    uploader: makeUploader(deps, caller),
  });
  const asGranted = (call: PresignedCall) => identifyGranted(deps, call, { isBegun: true });
  return [
    handle(contract.createResumable, call => begin(deps, asToken(call))),
    handle(contract.createPresignedResumable, async call =>
      begin(deps, await identifyGranted(deps, call, { isBegun: false })),
    ),
    withCode(handle(contract.lookAtResumable, call => look(deps, asToken(call), call.params.upload))),
    withCode(
      handle(contract.lookAtPresignedResumable, async call =>
        look(deps, await asGranted(call), call.params.upload),
      ),
    ),
    handle(contract.continueResumable, call => continueUpload(deps, asToken(call), call.params.upload)),
    handle(contract.continuePresignedResumable, async call =>
      continueUpload(deps, await asGranted(call), call.params.upload),
    ),
    handle(contract.endResumable, call => end(deps, asToken(call), call.params.upload)),
    handle(contract.endPresignedResumable, async call =>
      end(deps, await asGranted(call), call.params.upload),
    ),
    handle(contract.getResumableResult, call => sendResult(deps, asToken(call), call.params.upload)),
    handle(contract.getPresignedResumableResult, async call =>
      sendResult(deps, await asGranted(call), call.params.upload),
    ),
  ];
}

/** Adds the code as a header, because responses to HEAD have no body. */
function withCode(handled: HandledRoute): HandledRoute {
  const formatFailure: FormatFailure = ({ body }) => JSON.stringify(body);
  return { ...handled, formatFailure };
}

async function identifyGranted(
  deps: ResumableDeps,
  { request, reply, params }: PresignedCall,
  options: { isBegun: boolean },
): Promise<UploadExchange> {
  const granted = await readPresignedToken(deps, params.token, options);
  const { grant, project } = granted;
  request.project = project.slug;
  if (grant.maker?.kind === 'token') await request.countAs(grant.maker.id);
  request.readmit = () => requireLivingMaker(deps, grant);
  return { request, reply, uploader: makeUploader(deps, granted) };
}

async function begin(deps: ResumableDeps, exchange: UploadExchange): Promise<FastifyReply> {
  const { request, reply, uploader } = exchange;
  const { metadata, chunk, ...creation } = readCreation(request.headers);
  const { name, ...sent } = metadata;
  const fields = parseUploadFields({ ...sent, filename: sent.filename || name });
  const begun = await beginUpload(deps, uploader, { ...creation, fields });
  const upload = chunk === null ? begun : await receiveFirst(deps, exchange, { id: begun.id, chunk });
  reply.header('location', locate(deps, request, upload.id));
  await sendProgress(deps, exchange, upload);
  return reply.code(201).send();
}

/** Ends an upload that cannot be resumed: the client lacks its URL. */
async function receiveFirst(
  deps: ResumableDeps,
  exchange: UploadExchange,
  sent: { id: string; chunk: Chunk },
): Promise<Upload> {
  return await receive(deps, exchange, sent).catch(async error => {
    await deps.resumable.end(sent.id).catch(() => undefined); // it may already be gone; otherwise it expires
    throw error;
  });
}

/** Returns the request's path with the upload appended, and with the query, which may hold the token. */
function locate({ address }: UrlDeps, { url, headers }: FastifyRequest, id: string): string {
  const [path = '', ...query] = url.split('?');
  const isNamed = new URL(address.publicUrl).hostname !== 'localhost';
  const origin = isNamed || !headers.host ? address.publicUrl : `http://${headers.host}`;
  return [`${origin}${path}/${id}`, ...query].join('?');
}

async function look(deps: ResumableDeps, exchange: UploadExchange, id: string): Promise<FastifyReply> {
  requireVersion(exchange.request.headers);
  await sendProgress(deps, exchange, await settle(deps, exchange, id));
  return exchange.reply.send();
}

async function continueUpload(
  deps: ResumableDeps,
  exchange: UploadExchange,
  id: string,
): Promise<FastifyReply> {
  const chunk = readChunk(exchange.request.headers);
  await findUpload(deps, exchange.uploader, id);
  await sendProgress(deps, exchange, await receive(deps, exchange, { id, chunk }));
  return exchange.reply.code(204).send();
}

async function end(deps: ResumableDeps, { request, reply, uploader }: UploadExchange, id: string) {
  requireVersion(request.headers);
  await findUpload(deps, uploader, id);
  await deps.resumable.end(id);
  return reply.code(204).send();
}

async function sendResult(deps: ResumableDeps, exchange: UploadExchange, id: string) {
  const upload = await settle(deps, exchange, id);
  if (upload.result === null)
    throw new ServiceError(
      'upload_unfinished',
      'The upload is not finished: send the rest of its bytes first.',
    );
  const result = await composeResult(deps, exchange.uploader, upload.result);
  if (result === null) throw noFileError();
  return result;
}

async function settle(deps: ResumableDeps, exchange: UploadExchange, id: string): Promise<Upload> {
  await findUpload(deps, exchange.uploader, id);
  return await deps.resumable.settle(id, useOf(deps, exchange));
}

function receive(
  deps: ResumableDeps,
  exchange: UploadExchange,
  { id, chunk }: { id: string; chunk: Chunk },
): Promise<Upload> {
  const { request } = exchange;
  const sent: SentChunk = {
    ...chunk,
    chunks: readSent(request),
    cutOff: () => void request.raw.destroy(),
  };
  return deps.resumable.receive(id, sent, useOf(deps, exchange));
}

async function* readSent({ body }: FastifyRequest): AsyncGenerator<Buffer> {
  // On a route that declares `stream`, the body is the readable request, or absent if the client sent none.
  if (body) yield* readChunks(body as Readable);
}

function useOf(deps: ResumableDeps, { request, uploader }: UploadExchange) {
  const startedAt = performance.now();
  return makeUse(deps, uploader, () => confirmAccess(request, startedAt));
}

async function sendProgress(
  deps: ResumableDeps,
  { uploader, reply }: UploadExchange,
  upload: Upload,
): Promise<void> {
  const result = upload.result === null ? null : await composeResult(deps, uploader, upload.result);
  reply.headers(describeUpload(upload, result && JSON.stringify(result)));
}

/** Returns null if the file was deleted since. */
async function composeResult(deps: ResumableDeps, { project }: Uploader, fileId: string) {
  const file = await deps.files.find(project.slug, fileId);
  return file && writeUpload(deps, project, file);
}
