/** Reads an upload and its fields from multipart, base64 in JSON or text, or raw bytes. */
import type { Readable } from 'node:stream';
import { parseFileMetadata } from '@tapedeck/domain/files/fileMetadata';
import { parseSentFolderPath } from '@tapedeck/domain/files/folderPath';
import { parseFilename } from '@tapedeck/domain/files/naming';
import {
  beginsLikeMedia,
  fileTooLargeError,
  mediaHeadBytes,
  receiveUpload,
  type UploadDeps,
  type UploadFields,
} from '@tapedeck/domain/files/uploads';
import type { StagedFile } from '@tapedeck/domain/ports/blobs';
import {
  type FileVisibility,
  fileVisibilities,
  invalidFieldError,
  ServiceError,
} from '@tapedeck/domain/vocabulary';
import { Base64Json, decodeBase64, readChunks, readFormField, readMultipart } from '@tapedeck/request-bodies';
import type { FastifyRequest } from 'fastify';
import { readContentType } from '../connection/requestHeads.ts';

export type ReceivedUpload = {
  staged: StagedFile;
  /** The fields as sent; `parseUploadFields` reads them. */
  fields: Readonly<Record<string, unknown>>;
  /** The part of a form that held the file; '' without a form. */
  fieldName: string;
};

type ReceiveDeps = Pick<UploadDeps, 'staging' | 'fileSizeBytesMax'>;
/** The content types that a route takes, and how large the file may be. */
export type UploadOptions = {
  forms: readonly UploadForm[];
  bytesMax?: number;
  /** Fields that replace those sent in the form. */
  fields?: Readonly<Record<string, unknown>>;
  /** Which part is the file if a form has several, best first; absent: several are an error. */
  partNames?: readonly string[];
  /** Names of the field that holds the file in base64. */
  base64Names?: readonly [string, ...string[]];
};
type UploadForm =
  | 'multipart/form-data'
  | 'application/json'
  | 'application/x-www-form-urlencoded'
  | 'text/plain'
  | typeof bareForm;

/** The file's bytes and nothing else, with any declared type. */
const bareForm = '*/*';

const framingBytesMax = 1024 * 1024; // CONTRACT.md, 3.1
const discardedFilesMax = 3; // of the maximum size, besides the file that is kept
const base64Growth = 4 / 3; // applies to the file, not to the framing

/** The names of these fields on the wire. All others are ignored. */
const uploadFieldNames = [
  'filename',
  'path',
  'metadata',
  'retentionExempt',
  'retention_exempt',
  'visibility',
] as const;

const formOptions = {
  fieldNames: uploadFieldNames,
  fieldBytesMax: 128 * 1024, // metadata with every character escaped as \u0000
  fileNames: ['file', 'image', 'video', 'audio'],
};
const usualBase64Names = ['base64'] as const;
const restBytesMax = 256 * 1024; // JSON besides the file, mostly metadata

/** The caller disposes of the staged file. If the promise rejects, no staged file remains. */
export async function readUpload(
  deps: ReceiveDeps,
  request: FastifyRequest,
  options: UploadOptions,
): Promise<ReceivedUpload> {
  const declared = readContentType(request.headers);
  const form = options.forms.find(known => known === declared || known === bareForm);
  const bytesMax = Math.min(options.bytesMax ?? deps.fileSizeBytesMax, deps.fileSizeBytesMax);
  const { partNames: names } = options;
  const choice = names && { names, discardedBytesMax: bytesMax * discardedFilesMax };
  refuseTooLong(request, bytesMax, { form, discardedBytesMax: choice?.discardedBytesMax ?? 0 });
  if (form === undefined) {
    throw new ServiceError('unsupported_content_type', `Send the file as ${options.forms.join(' or ')}.`);
  }
  if (request.headers['content-encoding'] !== undefined) {
    throw new ServiceError(
      'unsupported_content_type',
      'Send the file without Content-Encoding: media are compressed already.',
    );
  }
  // On a route that declares `stream` the body is the readable request.
  const body = request.body as Readable;
  const declaredBytes = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  const receive = (chunks: AsyncIterable<Uint8Array>, growth: number) =>
    receiveUpload(deps, chunks, { bytesMax, declaredBytes: declaredBytes / growth });
  if (form === 'multipart/form-data') {
    const sent = { headers: request.headers, body };
    const read = await readMultipart(sent, { ...formOptions, choice }, ({ content }) => receive(content, 1));
    const { filename, fieldName } = read.part;
    return {
      staged: read.file,
      fields: { ...options.fields, ...read.fields, filename: read.fields.filename || filename },
      fieldName,
    };
  }
  const fileFields = options.base64Names ?? usualBase64Names;
  if (form === 'application/json') {
    const json = new Base64Json({ fileFields, restBytesMax });
    const staged = await receive(json.readFile(readChunks(body)), base64Growth);
    return { staged, fields: json.fields, fieldName: '' };
  }
  if (form === 'application/x-www-form-urlencoded') {
    const text = readFormField(readChunks(body), fileFields);
    return {
      staged: await receive(decodeBase64(text, fileFields[0]), base64Growth),
      fields: {},
      fieldName: '',
    };
  }
  const { chunks, isMedia } = await peek(request);
  const staged =
    declared === 'text/plain' && !isMedia
      ? await receive(decodeBase64(chunks, fileFields[0]), base64Growth)
      : await receive(chunks, 1);
  // The router made this object and checked it against the contract.
  return { staged, fields: { ...options.fields, ...(request.query as object) }, fieldName: '' };
}

/** Returns whether the body begins like media, which base64 never does, and all its chunks. Throws if there is no body. */
async function peek({ body }: FastifyRequest): Promise<{ chunks: AsyncIterable<Buffer>; isMedia: boolean }> {
  // As above. The router leaves the body out if the client sent none.
  const chunks = body ? readChunks(body as Readable) : null;
  const begun: Buffer[] = [];
  for (let bytes = 0; bytes < mediaHeadBytes; bytes += begun.at(-1)!.length) {
    const next = await chunks?.next();
    if (next === undefined || next.done) break;
    begun.push(next.value);
  }
  if (begun.length === 0)
    throw new ServiceError('file_missing', 'The body is empty: send the bytes of the file.');
  const [first] = begun;
  const head = begun.length === 1 && first ? first : Buffer.concat(begun);
  return { chunks: follow(begun, chunks), isMedia: beginsLikeMedia(head) };
}

async function* follow(begun: readonly Buffer[], rest: AsyncIterable<Buffer> | null): AsyncGenerator<Buffer> {
  yield* begun;
  if (rest !== null) yield* rest;
}

type Expected = { form: UploadForm | undefined; discardedBytesMax: number };

/** Throws 413 if Content-Length alone shows that the file is too large. */
function refuseTooLong({ headers }: FastifyRequest, bytesMax: number, expected: Expected): void {
  const isForm = expected.form === 'multipart/form-data';
  const isBare = expected.form === bareForm;
  const bodyBytesMax = isForm ? bytesMax + expected.discardedBytesMax : bytesMax * base64Growth;
  if (Number(headers['content-length'] ?? 0) > (isBare ? bytesMax : bodyBytesMax + framingBytesMax))
    throw fileTooLargeError(bytesMax);
}

/** Treats an empty or missing field as absent. A wrong type is `invalid_field`. */
export function parseUploadFields(raw: Readonly<Record<string, unknown>>): UploadFields {
  const metadata = getField(raw, 'metadata');
  if (metadata !== undefined && typeof metadata !== 'string' && typeof metadata !== 'object') {
    throw wrongTypeError('metadata', 'JSON text or an object');
  }
  return {
    filename: parseFilename(getText(raw, 'filename')),
    path: parseSentFolderPath(getText(raw, 'path')),
    metadata: metadata === undefined ? {} : parseFileMetadata(metadata),
    retentionExempt: parseFlag(getField(raw, 'retentionExempt') ?? getField(raw, 'retention_exempt')),
    visibility: parseVisibility(getText(raw, 'visibility')),
  };
}

function getField(raw: Readonly<Record<string, unknown>>, name: string): unknown {
  return Object.hasOwn(raw, name) ? (raw[name] ?? undefined) : undefined;
}

function getText(raw: Readonly<Record<string, unknown>>, name: string): string {
  const value = getField(raw, name) ?? '';
  if (typeof value !== 'string') throw wrongTypeError(name, 'a string');
  return value;
}

function parseFlag(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  const word = typeof value === 'string' ? value.trim().toLowerCase() : value;
  if (word === undefined || word === '' || word === 'false') return false;
  if (word === 'true') return true;
  throw wrongTypeError('retentionExempt', '"true" or "false"');
}

function parseVisibility(text: string): FileVisibility | null {
  const word = text.trim().toLowerCase();
  if (word === '') return null;
  const visibility = fileVisibilities.find(known => known === word);
  if (visibility === undefined) throw wrongTypeError('visibility', '"public" or "private"');
  return visibility;
}

function wrongTypeError(name: string, expected: string): ServiceError {
  return invalidFieldError(name, `The field "${name}" must be ${expected}.`);
}
