/** Reads the text fields with the given names from a form, and passes its files on. Skips other fields. */
import type { Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { BodyFailure } from './bodyFailure.ts';
import { HeldBytes, overloadedError, slowBodyError } from './bodyMemory.ts';
import { feedForm } from './formFeeding.ts';
import { type FormRequest, formFieldsMax, formPartsMax, partHeaderBytesMax } from './forms.ts';

const framingBytesMax = 1024 * 1024; // headers of parts, and file bytes that arrive in the same chunk as a field

export type FormFile = { filename: string; content: Readable };

/** The kept bytes count toward the holder. */
type HeldFormRequest = FormRequest & { holder: string };

type FormOptions = {
  names: readonly string[];
  fieldBytesMax: number;
  /** Limit for all fields and files. */
  formBytesMax: number;
  /** Returns whether a part is a file although it has no file name. */
  isFile(field: string, contentType: string): boolean;
  /** Receives a file as it arrives. The reader skips the rest. If it fails, the form fails with its error. */
  takeFile(file: FormFile): Promise<void>;
};

/** Reads a form. If two fields have the same name, the last one counts. When it rejects, no `takeFile` is still running. */
export async function readForm(request: HeldFormRequest, options: FormOptions): Promise<Map<string, string>> {
  const { names, fieldBytesMax } = options;
  const found = new Map<string, string>();
  const cut: string[] = [];
  const parser = openParser(request, options);
  parser.on('field', (field: string, value: string, _nameIsCut: boolean, valueIsCut: boolean) => {
    if (!names.includes(field)) return;
    found.set(field, value);
    if (valueIsCut) cut.push(field);
  });
  await parse(request.body, parser, { ...options, holder: request.holder });
  if (cut.length > 0)
    throw new BodyFailure('body_too_large', `The field ${cut[0]} may hold at most ${fieldBytesMax} bytes.`);
  return found;
}

function openParser({ headers }: FormRequest, { names, fieldBytesMax, isFile }: FormOptions): BusboyInstance {
  try {
    // Busboy requires this header, which a form always has.
    const formHeaders = headers as typeof headers & { 'content-type': string };
    return new Busboy({
      headers: formHeaders,
      limits: {
        fieldSize: fieldBytesMax,
        headerSize: partHeaderBytesMax,
        fields: formFieldsMax,
        parts: formPartsMax,
      },
      // Browsers add a file name to every field that is not plain text, such as a Blob of JSON.
      isPartAFile: (field, type, filename) =>
        !(field !== undefined && names.includes(field)) &&
        (filename !== undefined || isFile(field ?? '', type ?? '')),
    });
  } catch (cause) {
    throw unreadableError(cause);
  }
}

type HeldOptions = FormOptions & { holder: string };

/** Leaves the rest of a refused body unread, so that its sender can read the refusal. */
async function parse(body: Readable, parser: BusboyInstance, options: HeldOptions): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let stopFeeding = () => {};
  const files = new FilesOfForm(parser, options, error => fail(error));
  const fail = (error: unknown) => {
    stopFeeding();
    body.pause();
    files.breakOff(error);
    reject(error);
  };
  const count = countBytes(files, options, () => {
    fail(slowBodyError());
    count.release();
  });
  const end = () => {
    if (!body.readableEnded) fail(unreadableError());
  };
  const take = (chunk: Buffer) => {
    const failure = count.add(chunk.length);
    if (failure) fail(failure);
  };
  body.on('data', take);
  body.on('error', cause => fail(unreadableError(cause)));
  body.once('close', end);
  parser.once('partsLimit', () => fail(tooManyPartsError()));
  parser.once('finish', resolve);
  parser.on('error', cause => fail(unreadableError(cause)));
  stopFeeding = feedForm(body, parser);
  if (body.destroyed) end(); // already closed, so no `close` event will come
  try {
    await promise;
  } finally {
    body.off('data', take);
    count.release();
    await files.settle();
  }
  files.requireTaken();
}

/** Tracks the files of one form while they are received. */
class FilesOfForm {
  readonly #open = new Set<Readable>();
  readonly #taking: Promise<void>[] = [];
  #failure: { error: unknown } | null = null;

  constructor(parser: BusboyInstance, { takeFile }: FormOptions, onFailure: (error: unknown) => void) {
    parser.on('file', (_field: string, content: Readable, filename: string | undefined) => {
      this.#open.add(content);
      // The parser also reports a broken body by this event.
      content.on('error', () => {}).once('close', () => this.#open.delete(content));
      content.once('end', () => this.#open.delete(content));
      if (this.#failure !== null) return void content.destroy();
      const taking = takeFile({ filename: filename ?? '', content }).then(
        () => void content.resume(),
        error => {
          this.#failure ??= { error };
          onFailure(error);
        },
      );
      this.#taking.push(taking);
    });
  }

  get isOneOpen(): boolean {
    return this.#open.size > 0;
  }

  breakOff(error: unknown): void {
    this.#failure ??= { error };
    for (const content of this.#open) content.destroy(error instanceof Error ? error : undefined);
  }

  async settle(): Promise<void> {
    await Promise.all(this.#taking);
  }

  requireTaken(): void {
    if (this.#failure !== null) throw this.#failure.error;
  }
}

type ByteCount = { add(bytes: number): BodyFailure | null; release(): void };

/** Counts all bytes of the form. Bytes outside of files count as held, because the parser keeps them. */
function countBytes(files: FilesOfForm, options: HeldOptions, endSlow: () => void): ByteCount {
  const { holder, fieldBytesMax, formBytesMax } = options;
  const held = new HeldBytes(holder, endSlow);
  let formBytes = 0;
  let fieldBytes = 0;
  return {
    add(bytes) {
      formBytes += bytes;
      if (formBytes > formBytesMax) return formTooLargeError(formBytesMax);
      if (files.isOneOpen) {
        held.pass(bytes);
        return null;
      }
      fieldBytes += bytes;
      if (fieldBytes > fieldBytesMax + framingBytesMax) return fieldsTooLargeError(fieldBytesMax);
      return held.add(bytes) ? null : overloadedError();
    },
    release: () => held.release(),
  };
}

function unreadableError(cause?: unknown): BodyFailure {
  const sentence = 'The form could not be read; check its boundary and its end.';
  return new BodyFailure('bad_request', sentence, { cause });
}

function tooManyPartsError(): BodyFailure {
  return new BodyFailure('bad_request', `A form may have at most ${formPartsMax} parts.`);
}

function formTooLargeError(formBytesMax: number): BodyFailure {
  const sentence = `The form may hold at most ${formBytesMax} bytes, files included.`;
  return new BodyFailure('body_too_large', sentence);
}

function fieldsTooLargeError(bytesMax: number): BodyFailure {
  return new BodyFailure(
    'body_too_large',
    `The fields of a form may hold at most ${bytesMax} bytes together.`,
  );
}
