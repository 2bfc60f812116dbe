/** Reads `multipart/form-data` uploads: one file part, handed on while it arrives, and the fields around it. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { ServiceError } from '../../vocabulary.ts';
import { uploadFieldNames } from './uploadFields.ts';

const uploadPartHeaderBytesMax = 16 * 1024; // as much as all headers of a request
export const uploadFieldsMax = 64; // five are known; the rest is ignored, within reason
export const uploadFieldBytesMax = 128 * 1024; // metadata with every character written as \u0000

export type FilePart = {
  /** The part's name, `file` by rule. */
  fieldName: string;
  /** As declared, '' when it was not. */
  filename: string;
  content: AsyncIterable<Buffer>;
};

export type MultipartUpload<T> = {
  part: Omit<FilePart, 'content'>;
  file: T;
  /** The known fields only. */
  fields: Record<string, string>;
};

/** Names that mean the file even where the client forgot to give it a file name. */
const fileFieldNames = ['file', 'image', 'video', 'audio'];

/**
 * Resolves once the whole body was read and holds exactly one file part, which `takeFile` took. When anything is wrong,
 * in the body or with the file, what `takeFile` made is disposed of before this rejects; the rest of the body is
 * then left unread, for the caller to deal with.
 */
export function readMultipart<T extends AsyncDisposable>(
  request: { headers: IncomingHttpHeaders; body: Readable },
  takeFile: (part: FilePart) => Promise<T>,
): Promise<MultipartUpload<T>> {
  return new MultipartReading(request, takeFile).run();
}

/** One body being read. Its reading fails with the first error. */
class MultipartReading<T extends AsyncDisposable> {
  readonly #body: Readable;
  readonly #parser: BusboyInstance;
  readonly #takeFile: (part: FilePart) => Promise<T>;
  readonly #fields: Record<string, string> = Object.create(null);
  #part: FilePart | undefined;
  #stream: BusboyFileStream | undefined;
  #taking: Promise<T> | undefined;
  #failure: unknown;
  #settle: () => void = () => {};

  constructor(
    request: { headers: IncomingHttpHeaders; body: Readable },
    takeFile: (part: FilePart) => Promise<T>,
  ) {
    this.#body = request.body;
    this.#takeFile = takeFile;
    this.#parser = openParser(request.headers);
  }

  async run(): Promise<MultipartUpload<T>> {
    await new Promise<void>(resolve => {
      this.#settle = resolve;
      this.#listen();
      this.#body.pipe(this.#parser);
      if (this.#body.destroyed) this.#end(); // closed earlier, so that no `close` event will come
    });
    const file = await this.#taking?.catch(error => {
      this.#failure ??= error;
      return undefined;
    });
    if (this.#failure !== undefined) {
      await file?.[Symbol.asyncDispose]();
      throw this.#failure;
    }
    if (this.#part === undefined || file === undefined) {
      throw new ServiceError('file_missing', 'Add a file part to the form, by rule under the name "file".', {
        field: 'file',
      });
    }
    const { fieldName, filename } = this.#part;
    return { part: { fieldName, filename }, file, fields: this.#fields };
  }

  #listen(): void {
    const parser = this.#parser;
    parser.on('file', (fieldName, stream, filename) => this.#onFile(fieldName, stream, filename));
    parser.on('field', (name, value, _, isCut) => this.#onField(name, value, isCut));
    parser.on('filesLimit', () =>
      this.#fail(new ServiceError('bad_request', 'Send one file in each request.')),
    );
    parser.on('fieldsLimit', () => this.#fail(tooManyPartsError()));
    parser.on('partsLimit', () => this.#fail(tooManyPartsError()));
    parser.on('error', cause => this.#fail(brokenFormError('does not follow the format of its type', cause)));
    parser.on('finish', () => this.#settle());
    this.#body.on('error', cause => this.#fail(brokenFormError('broke off', cause)));
    this.#body.on('close', () => this.#end());
  }

  #end(): void {
    if (!this.#body.readableEnded) this.#fail(brokenFormError('broke off', undefined));
  }

  #onFile(fieldName: string, stream: BusboyFileStream, filename: string | undefined): void {
    // The parser reports a broken body by this event as well, also when nobody reads the file any more.
    stream.on('error', () => {});
    this.#stream = stream;
    if (this.#failure !== undefined) {
      stream.destroy();
      return;
    }
    this.#part = { fieldName: fieldName ?? '', filename: filename ?? '', content: stream };
    this.#taking = this.#takeFile(this.#part);
    this.#taking.catch(error => this.#fail(error));
  }

  #onField(name: string, value: string, isCut: boolean): void {
    if (!uploadFieldNames.some(known => known === name)) return;
    if (isCut) {
      const sentence = `The field "${name}" may take ${uploadFieldBytesMax} bytes at most.`;
      this.#fail(new ServiceError('invalid_field', sentence, { field: name }));
    } else if (name in this.#fields) {
      this.#fail(
        new ServiceError('invalid_field', `The field "${name}" may stand only once.`, { field: name }),
      );
    } else this.#fields[name] = value;
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#body.unpipe(this.#parser);
    this.#body.pause();
    // Ends `takeFile`, unless it has all it needs.
    if (this.#stream?.readableEnded === false)
      this.#stream.destroy(error instanceof Error ? error : undefined);
    this.#settle();
  }
}

function openParser(headers: IncomingHttpHeaders): BusboyInstance {
  const contentType = headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
    throw new ServiceError('unsupported_content_type', 'Send the file as multipart/form-data.');
  }
  if (!/;\s*boundary=("[^"]{1,70}"|[^\s";]{1,70})\s*(;|$)/i.test(contentType)) {
    throw brokenFormError('must name a boundary of 1 to 70 characters in its content type', undefined);
  }
  return new Busboy({
    headers: { ...headers, 'content-type': contentType },
    isPartAFile,
    preservePath: true,
    limits: {
      files: 1,
      fields: uploadFieldsMax,
      parts: uploadFieldsMax + 1,
      fieldSize: uploadFieldBytesMax,
      headerSize: uploadPartHeaderBytesMax,
    },
  });
}

/** A part with a file name is a file, but for metadata that a browser sends as a `Blob` and thereby names. */
function isPartAFile(
  name: string | undefined,
  contentType: string | undefined,
  filename: string | undefined,
) {
  const isKnownField = uploadFieldNames.some(known => known === name);
  if (isKnownField && contentType === 'application/json') return false;
  if (filename !== undefined) return true;
  if (isKnownField) return false;
  return (
    fileFieldNames.some(known => known === name) || !/^(text\/|application\/json)/.test(contentType ?? '')
  );
}

function tooManyPartsError(): ServiceError {
  return new ServiceError('bad_request', `Send at most ${uploadFieldsMax} fields beside the file.`);
}

function brokenFormError(because: string, cause: unknown): ServiceError {
  return new ServiceError('multipart_broken', `The multipart body ${because}.`, { cause });
}
