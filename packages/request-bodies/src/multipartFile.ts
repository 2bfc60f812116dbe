/** Reads a form with one file: passes the file on as it arrives, and returns the fields around it. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { BodyFailure } from './bodyFailure.ts';
import { feedForm } from './formFeeding.ts';
import { type FormRequest, formFieldsMax, partHeaderBytesMax } from './forms.ts';

const filePartsMax = 16; // for choosing one of several: clients that follow two guides send two, under different names
const tooManyFiles = `Send at most ${filePartsMax} files in each request.`;

export type FilePart = {
  /** The part's name, usually `file`. */
  fieldName: string;
  /** The declared name, or ''. */
  filename: string;
  content: AsyncIterable<Buffer>;
};

/** How to treat several file parts. Without a choice, a second one is an error. */
type PartChoice = {
  /** Names of the part to keep, best first. Otherwise the first part is kept. */
  names: readonly string[];
  /** Limit for the discarded parts together. */
  discardedBytesMax: number;
};

export type FileFormOptions = {
  /** Other fields are ignored. */
  fieldNames: readonly string[];
  fieldBytesMax: number;
  /** Names of parts that are files even without a file name. */
  fileNames: readonly string[];
  choice?: PartChoice | undefined;
};

type MultipartUpload<T> = {
  part: Omit<FilePart, 'content'>;
  file: T;
  /** The known fields only. */
  fields: Record<string, string>;
};

/**
 * Resolves with the file part that `takeFile` received, once the whole body is read. If the body or the file is invalid, first disposes of everything
 * that `takeFile` returned, also for replaced parts, then rejects. Leaves the rest of the body unread for the caller.
 */
export function readMultipart<T extends AsyncDisposable>(
  request: FormRequest,
  options: FileFormOptions,
  takeFile: (part: FilePart) => Promise<T>,
): Promise<MultipartUpload<T>> {
  return new MultipartReading({ ...request, ...options }, takeFile).run();
}

/** The best part so far. A part of lower rank replaces it. */
type Candidate<T> = { rank: number; part: FilePart; stream: BusboyFileStream; taking: Promise<T> };

/** Reads one body. Fails with the first error, except for one in a part that a better one may replace. */
class MultipartReading<T extends AsyncDisposable> {
  readonly #body: Readable;
  readonly #parser: BusboyInstance;
  readonly #takeFile: (part: FilePart) => Promise<T>;
  readonly #options: FileFormOptions;
  readonly #choice: PartChoice | null;
  readonly #fields: Record<string, string> = Object.create(null);
  readonly #disposals: Promise<void>[] = [];
  #kept: Candidate<T> | undefined;
  #discardedBytes = 0;
  #failure: unknown;
  #settle: () => void = () => {};
  #stopFeeding: () => void = () => {};

  constructor(form: FormRequest & FileFormOptions, takeFile: (part: FilePart) => Promise<T>) {
    this.#body = form.body;
    this.#options = form;
    this.#takeFile = takeFile;
    this.#choice = form.choice ?? null;
    this.#parser = openParser(form.headers, form);
  }

  async run(): Promise<MultipartUpload<T>> {
    await new Promise<void>(resolve => {
      this.#settle = resolve;
      this.#listen();
      this.#stopFeeding = feedForm(this.#body, this.#parser);
      if (this.#body.destroyed) this.#end(); // already closed, so no `close` event will come
    });
    const file = await this.#kept?.taking.catch(error => {
      this.#failure ??= error;
      return undefined;
    });
    await Promise.all(this.#disposals);
    if (this.#failure !== undefined) {
      await file?.[Symbol.asyncDispose]();
      throw this.#failure;
    }
    if (this.#kept === undefined || file === undefined) {
      throw new BodyFailure('file_missing', 'Add a file part to the form, usually named "file".', {
        field: 'file',
      });
    }
    const { fieldName, filename } = this.#kept.part;
    return { part: { fieldName, filename }, file, fields: this.#fields };
  }

  #listen(): void {
    const parser = this.#parser;
    parser.on('file', (fieldName, stream, filename) => this.#onFile(fieldName, stream, filename));
    parser.on('field', (name, value, _, isCut) => this.#onField(name, value, isCut));
    parser.on('filesLimit', () =>
      this.#fail(
        new BodyFailure('bad_request', this.#choice ? tooManyFiles : 'Send one file in each request.'),
      ),
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
    // The parser also reports a broken body by this event, even when the file has no reader.
    stream.on('error', () => {});
    const rank = this.#rank(fieldName ?? '');
    if (this.#failure !== undefined) stream.destroy();
    else if (this.#kept !== undefined && rank >= this.#kept.rank) this.#discard(stream);
    else this.#keep(stream, { fieldName: fieldName ?? '', filename: filename ?? '' }, rank);
  }

  /** Returns 0 if no part is better. */
  #rank(fieldName: string): number {
    if (this.#choice === null) return 0;
    const { names } = this.#choice;
    return names.includes(fieldName) ? names.indexOf(fieldName) : names.length;
  }

  #keep(stream: BusboyFileStream, named: Omit<FilePart, 'content'>, rank: number): void {
    const former = this.#kept;
    if (former) this.#disposals.push(former.taking.then(file => file[Symbol.asyncDispose]()).catch(() => {}));
    // Reads the rest of a refused part, because a better one may follow.
    const content = rank === 0 ? stream : stream.iterator({ destroyOnReturn: false });
    const part = { ...named, content };
    const taking = this.#takeFile(part);
    taking.catch(error => (rank === 0 ? this.#fail(error) : this.#discard(stream)));
    this.#kept = { rank, part, stream, taking };
  }

  #discard(stream: BusboyFileStream): void {
    const bytesMax = this.#choice?.discardedBytesMax ?? 0;
    stream.on('data', (chunk: Buffer) => {
      this.#discardedBytes += chunk.length;
      if (this.#discardedBytes <= bytesMax) return;
      const sentence = `The parts other than the file may hold at most ${bytesMax} bytes; send the file alone.`;
      this.#fail(new BodyFailure('file_too_large', sentence));
    });
  }

  #onField(name: string, value: string, isCut: boolean): void {
    const { fieldNames, fieldBytesMax } = this.#options;
    if (!fieldNames.includes(name)) return;
    if (isCut) {
      const sentence = `The field "${name}" may have at most ${fieldBytesMax} bytes.`;
      this.#fail(new BodyFailure('invalid_field', sentence, { field: name }));
    } else if (name in this.#fields) {
      this.#fail(
        new BodyFailure('invalid_field', `The field "${name}" may appear only once.`, { field: name }),
      );
    } else this.#fields[name] = value;
  }

  #fail(error: unknown): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#stopFeeding();
    this.#body.pause();
    // Stops `takeFile` unless it has all it needs.
    const stream = this.#kept?.stream;
    if (stream?.readableEnded === false) stream.destroy(error instanceof Error ? error : undefined);
    this.#settle();
  }
}

function openParser(headers: IncomingHttpHeaders, options: FileFormOptions): BusboyInstance {
  const filesMax = options.choice ? filePartsMax : 1;
  const contentType = headers['content-type'] ?? '';
  if (!/^multipart\/form-data\s*(;|$)/i.test(contentType)) {
    throw new BodyFailure('unsupported_content_type', 'Send the file as multipart/form-data.');
  }
  if (!/;\s*boundary=("[^"]{1,70}"|[^\s";]{1,70})\s*(;|$)/i.test(contentType)) {
    throw brokenFormError('must name a boundary of 1 to 70 characters in its content type', undefined);
  }
  return new Busboy({
    headers: { ...headers, 'content-type': contentType },
    isPartAFile: (...part) => isPartAFile(options, part),
    preservePath: true,
    limits: {
      files: filesMax,
      fields: formFieldsMax,
      parts: formFieldsMax + filesMax,
      fieldSize: options.fieldBytesMax,
      headerSize: partHeaderBytesMax,
    },
  });
}

type PartHead = [name: string | undefined, contentType: string | undefined, filename: string | undefined];

/** A part with a file name is a file, except for a JSON field that a browser sends as a `Blob`, which gets a file name. */
function isPartAFile(
  { fieldNames, fileNames }: FileFormOptions,
  [name = '', contentType, filename]: PartHead,
) {
  const isKnownField = fieldNames.includes(name);
  if (isKnownField && contentType === 'application/json') return false;
  if (filename !== undefined) return true;
  if (isKnownField) return false;
  return fileNames.includes(name) || !/^(text\/|application\/json)/.test(contentType ?? '');
}

function tooManyPartsError(): BodyFailure {
  return new BodyFailure('bad_request', `Send at most ${formFieldsMax} fields besides the file.`);
}

function brokenFormError(because: string, cause: unknown): BodyFailure {
  return new BodyFailure('multipart_broken', `The multipart body ${because}.`, { cause });
}
