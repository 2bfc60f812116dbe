/**
 * Reads a JSON body with one base64 file as it arrives. It streams the file as bytes, and keeps everything else, within a limit, for `JSON.parse` to
 * check.
 */
import { isUtf8 } from 'node:buffer';
import { isObject } from '@tapedeck/values/json';
import { Base64Decoder, foreignCharacters, invalidBase64Error } from './base64.ts';
import { BodyFailure } from './bodyFailure.ts';

type Base64JsonOptions = {
  /** Field names that may hold the file. Errors name the first. */
  fileFields: readonly [string, ...string[]];
  /** Limit for everything else. */
  restBytesMax: number;
};

const quote = 0x22;
const backslash = 0x5c;
const [openBrace, closeBrace, openBracket, closeBracket, comma] = [0x7b, 0x7d, 0x5b, 0x5d, 0x2c];
/** JSON strings allow no other unescaped white space. */
const rawGaps = / +/g;
/** `Buffer` would look only at the lower half of these, and find letters there. */
const nonAscii = /[^\0-\x7f]/;
const escapedGaps = /[\t\n\f\r]+/g;

export class Base64Json {
  readonly #fileFields: readonly [string, ...string[]];
  #fields: Record<string, unknown> | undefined;
  #escape = '';
  readonly #decoder: Base64Decoder;
  readonly #splitter: BodySplitter;

  constructor(options: Base64JsonOptions) {
    this.#fileFields = options.fileFields;
    this.#decoder = new Base64Decoder(options.fileFields[0], rawGaps);
    this.#splitter = new BodySplitter(options);
  }

  /** Yields the file's bytes. Ends or fails only after reading and checking the whole body. */
  async *readFile(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      for (let position = 0; position < chunk.length; ) {
        if (!this.#splitter.isInFile) {
          position = this.#splitter.scan(chunk, position);
          continue;
        }
        const end = chunk.indexOf(quote, position);
        const text = chunk.toString('latin1', position, end === -1 ? chunk.length : end);
        const bytes = this.#decode(text, end !== -1);
        position = end === -1 ? chunk.length : end + 1;
        if (end !== -1) this.#splitter.isInFile = false;
        if (bytes.length > 0) yield bytes;
      }
    }
    this.#fields = this.#judge();
    const last = this.#decoder.finish();
    if (last.length > 0) yield last;
  }

  /** All other members of the body, as sent. Available once `readFile` has ended. */
  get fields(): Record<string, unknown> {
    if (this.#fields === undefined) throw new Error('The fields of a body are known once its file was read.');
    return this.#fields;
  }

  /** Decodes JSON escapes as strictly as `JSON.parse`, in text that may be cut inside an escape. */
  #decode(text: string, isLast: boolean): Buffer {
    const joined = this.#escape + text;
    const at = joined.lastIndexOf('\\');
    if (at === -1) return this.#decoder.decode(joined);
    // Base64 contains no quote or backslash, so the code need not handle \" and \\.
    if (joined[at - 1] === '\\' || (isLast && at === joined.length - 1)) throw this.#foreignEscapeError();
    const isCut = joined.length < at + (joined[at + 1] === 'u' ? 6 : 2);
    this.#escape = isCut && !isLast ? joined.slice(at) : '';
    const whole = unescapeJson(joined.slice(0, joined.length - this.#escape.length));
    if (nonAscii.test(whole)) throw this.#foreignEscapeError();
    return this.#decoder.decode(whole.replace(escapedGaps, ''));
  }

  #judge(): Record<string, unknown> {
    const [field] = this.#fileFields;
    const rest = parseJson(this.#splitter.takeRest());
    if (!isObject(rest))
      throw new BodyFailure('invalid_field', `Send a JSON object with a field "${field}".`, { field });
    const name = this.#fileFields.find(each => rest[each] !== undefined) ?? field;
    const file = rest[name];
    if (file === undefined)
      throw new BodyFailure('file_missing', `Add the field "${field}" with the file in base64.`, { field });
    if (file !== '' || !this.#splitter.hasSeenFile)
      throw new BodyFailure('invalid_field', `The field "${field}" must be a string.`, { field });
    const { [name]: _, ...fields } = rest;
    return fields;
  }

  #foreignEscapeError(): BodyFailure {
    return invalidBase64Error(this.#fileFields[0], foreignCharacters);
  }
}

/**
 * Follows the JSON structure only to find the top-level string of one of `fileFields`. Replaces it with `""` and keeps the rest, which is valid JSON
 * exactly when the body is, apart from the file.
 */
class BodySplitter {
  isInFile = false;
  hasSeenFile = false;
  #rest = Buffer.allocUnsafe(1024);
  #restBytes = 0;
  #depth = 0;
  #rootIsObject = false;
  #isInString = false;
  #isEscaped = false;
  #expectsKey = false;
  #stringStart = 0;
  #nextIsFile = false;
  readonly #options: Base64JsonOptions;

  constructor(options: Base64JsonOptions) {
    this.#options = options;
  }

  /** Reads until the chunk ends or the file begins, and returns the position after it. */
  scan(chunk: Buffer, start: number): number {
    for (let position = start; position < chunk.length; position++) {
      const byte = chunk[position] ?? 0; // within the chunk
      this.#keep(byte);
      if (this.#isInString) this.#scanString(byte);
      else if (byte === quote && this.#nextIsFile) {
        this.#enterFile();
        return position + 1;
      } else this.#scanStructure(byte);
    }
    return chunk.length;
  }

  takeRest(): Buffer {
    const rest = this.#rest.subarray(0, this.#restBytes);
    // An unfinished file must not count as the empty string that replaces it.
    return this.isInFile ? rest.subarray(0, rest.length - 1) : rest;
  }

  #enterFile(): void {
    const [field] = this.#options.fileFields;
    if (this.hasSeenFile)
      throw new BodyFailure('invalid_field', `The field "${field}" may appear only once.`, { field });
    this.#keep(quote);
    this.isInFile = true;
    this.hasSeenFile = true;
    this.#nextIsFile = false;
  }

  #scanString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === backslash) this.#isEscaped = true;
    else if (byte === quote) {
      this.#isInString = false;
      if (!this.#expectsKey) return;
      this.#expectsKey = false;
      this.#nextIsFile = this.#isFileKey(this.#rest.subarray(this.#stringStart, this.#restBytes));
    }
  }

  #scanStructure(byte: number): void {
    if (byte === quote) {
      this.#isInString = true;
      this.#stringStart = this.#restBytes - 1;
      this.#nextIsFile = false;
    } else if (byte === openBrace || byte === openBracket) {
      if (this.#depth === 0) this.#rootIsObject = byte === openBrace;
      this.#depth++;
      this.#expectsKey = this.#depth === 1 && this.#rootIsObject;
      this.#nextIsFile = false;
    } else if (byte === closeBrace || byte === closeBracket) {
      this.#depth--;
      this.#expectsKey = false;
      this.#nextIsFile = false;
    } else if (byte === comma) {
      this.#expectsKey = this.#depth === 1 && this.#rootIsObject;
      this.#nextIsFile = false;
    }
  }

  #isFileKey(quoted: Buffer): boolean {
    // Each character may be escaped as \u and four digits, so a longer name cannot match.
    const lengthMax = Math.max(...this.#options.fileFields.map(({ length }) => length));
    if (quoted.length > lengthMax * 6 + 2) return false;
    const key = parseJson(quoted);
    return this.#options.fileFields.some(field => field === key);
  }

  #keep(byte: number): void {
    if (this.#restBytes === this.#rest.length) {
      const { restBytesMax } = this.#options;
      if (this.#restBytes >= restBytesMax)
        throw new BodyFailure(
          'body_too_large',
          `The fields other than the file may take at most ${restBytesMax} bytes.`,
        );
      this.#rest = Buffer.concat([this.#rest], this.#rest.length * 2);
    }
    this.#rest[this.#restBytes++] = byte;
  }
}

function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new BodyFailure('invalid_json', 'The JSON body must be written in UTF-8.');
  return parseJsonText(bytes.toString('utf8'));
}

function unescapeJson(text: string): string {
  return parseJsonText(`"${text}"`) as string; // in quotes, a text without quotes can only be a string
}

function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new BodyFailure('invalid_json', 'The body is not valid JSON.', { cause });
  }
}
