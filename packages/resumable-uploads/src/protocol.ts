/** tus 1.0.0 as headers: reads requests and writes responses. Knows no routes. */
import { type Checksum, checksumAlgorithms, readChecksum } from './checksums.ts';
import { ResumableFailure } from './failures.ts';
import { readMetadata } from './metadata.ts';
import type { Upload } from './records.ts';

const protocolVersion = '1.0.0';
/** The required content type of chunks. */
const chunkType = 'application/offset+octet-stream';

const extensions = [
  'creation',
  'creation-with-upload',
  'creation-defer-length',
  'checksum',
  'expiration',
  'termination',
];

type Headers = Readonly<Record<string, string | string[] | undefined>>;
type ResponseHeaders = Record<string, string>;

/** Headers of every response, even one that refuses the client's version. */
export const protocolHeaders: Readonly<ResponseHeaders> = {
  'tus-resumable': protocolVersion,
  'tus-version': protocolVersion,
};

/** Names of response headers that pages of other sites may read. */
export const exposedHeaders = [
  'Location',
  'Upload-Offset',
  'Upload-Length',
  'Upload-Defer-Length',
  'Upload-Metadata',
  'Upload-Expires',
  'Upload-Result',
  'Tus-Resumable',
  'Tus-Version',
  'Tus-Extension',
  'Tus-Max-Size',
  'Tus-Checksum-Algorithm',
];

/** The answer to OPTIONS. */
export function describeServer(bytesMax: number): ResponseHeaders {
  return {
    ...protocolHeaders,
    'tus-extension': extensions.join(','),
    'tus-max-size': String(bytesMax),
    'tus-checksum-algorithm': checksumAlgorithms.join(','),
  };
}

/** Clients that can't send every method name it in a header. */
export function chooseMethod(method: string, headers: Headers): string {
  const named = readHeader(headers, 'x-http-method-override')?.toUpperCase();
  const isKnown = named !== undefined && ['PATCH', 'DELETE', 'HEAD'].includes(named);
  return method === 'POST' && isKnown ? named : method;
}

export function requireVersion(headers: Headers): void {
  if (readHeader(headers, 'tus-resumable') === protocolVersion) return;
  throw new ResumableFailure(
    'protocol_version',
    `Send the header Tus-Resumable: ${protocolVersion}; the service supports this version.`,
  );
}

export type Creation = {
  /** null: the client tells it later. */
  lengthBytes: number | null;
  metadata: Record<string, string>;
  /** The header as sent. */
  metadataHeader: string;
  /** null if the request carries no bytes. */
  chunk: Chunk | null;
};

export type Chunk = {
  offset: number;
  /** The upload's length, if it was unknown before. */
  lengthBytes: number | null;
  /** The length from Content-Length. */
  declaredBytes: number | null;
  checksum: Checksum | null;
};

export function readCreation(headers: Headers): Creation {
  requireVersion(headers);
  if (readHeader(headers, 'upload-concat') !== undefined)
    throw badHeader('Upload-Concat', 'is not supported here: upload the file in one piece');
  const lengthBytes = readSize(headers, 'Upload-Length');
  const isDeferred = readHeader(headers, 'upload-defer-length') !== undefined;
  if (isDeferred && readHeader(headers, 'upload-defer-length') !== '1')
    throw badHeader('Upload-Defer-Length', 'must be 1');
  if ((lengthBytes === null) !== isDeferred)
    throw badHeader('Upload-Length', 'is required, unless you send Upload-Defer-Length: 1');
  const metadataHeader = readHeader(headers, 'upload-metadata') ?? '';
  const hasChunk = readType(headers) === chunkType;
  const chunk = hasChunk ? { ...readBody(headers), offset: 0, lengthBytes: null } : null;
  return { lengthBytes, metadata: readMetadata(metadataHeader), metadataHeader, chunk };
}

export function readChunk(headers: Headers): Chunk {
  requireVersion(headers);
  if (readType(headers) !== chunkType)
    throw new ResumableFailure('unsupported_content_type', `Send the bytes as ${chunkType}.`);
  const offset = readSize(headers, 'Upload-Offset');
  if (offset === null) throw badHeader('Upload-Offset', 'is missing');
  return { ...readBody(headers), offset, lengthBytes: readSize(headers, 'Upload-Length') };
}

/** The response to HEAD and PATCH. `result` is JSON. */
export function describeUpload(upload: Upload, result: string | null): ResponseHeaders {
  return {
    'upload-offset': String(upload.sizeBytes),
    ...(upload.lengthBytes === null
      ? { 'upload-defer-length': '1' }
      : { 'upload-length': String(upload.lengthBytes) }),
    ...(upload.metadataHeader !== '' && { 'upload-metadata': upload.metadataHeader }),
    'upload-expires': new Date(upload.expiresAt).toUTCString(),
    ...(result !== null && { 'upload-result': Buffer.from(result).toString('base64') }),
  };
}

function readBody(headers: Headers): Pick<Chunk, 'declaredBytes' | 'checksum'> {
  if (readHeader(headers, 'content-encoding') !== undefined)
    throw new ResumableFailure('unsupported_content_type', 'Send the bytes without Content-Encoding.');
  const isChunked = readHeader(headers, 'transfer-encoding') !== undefined;
  return {
    declaredBytes: isChunked ? null : (readSize(headers, 'Content-Length') ?? 0),
    checksum: readChecksum(readHeader(headers, 'upload-checksum')),
  };
}

function readSize(headers: Headers, name: string): number | null {
  const text = readHeader(headers, name.toLowerCase());
  if (text === undefined) return null;
  const size = Number(text);
  if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(size))
    throw badHeader(name, 'must be a number of bytes');
  return size;
}

function readType(headers: Headers): string {
  return (readHeader(headers, 'content-type') ?? '').split(';', 1)[0]!.trim().toLowerCase();
}

/** When a header is sent twice, Node.js keeps the first value or joins them with commas. */
function readHeader(headers: Headers, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value?.trim();
}

function badHeader(name: string, because: string): ResumableFailure {
  return new ResumableFailure('bad_request', `The header ${name} ${because}.`);
}
