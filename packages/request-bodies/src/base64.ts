/** Decodes base64 piece by piece: plain, URL-safe or as a data URL, padded or not, with any white space. */
import { BodyFailure } from './bodyFailure.ts';

/** White space that is ignored between the characters of base64. */
const whiteSpace = /[\t\n\f\r ]+/g;
const dataUrlPrefix = 'data:';
/** Far longer than any media type with its parameters. */
const dataUrlHeadCharactersMax = 1024;
export const foreignCharacters = 'it contains characters that are not base64';

/** Takes latin1 text in pieces cut anywhere. Invalid base64 is `base64_invalid`; `Buffer` alone would skip it silently. */
export class Base64Decoder {
  #head: string | null = '';
  #carry = '';
  /** The field's name, for errors. */
  readonly #field: string;
  readonly #gaps: RegExp;

  constructor(field: string, gaps: RegExp = whiteSpace) {
    this.#field = field;
    this.#gaps = gaps;
  }

  decode(text: string): Buffer {
    const body = this.#head === null ? text : this.#readHead(text);
    const joined = this.#carry + body;
    const whole = joined.length - (joined.length % 4);
    const bytes = Buffer.from(joined.slice(0, whole), 'base64');
    // Each invalid character shortens the result, so equal length proves that all are valid.
    if (bytes.length !== (whole / 4) * 3) return this.#decodeCarefully(joined);
    this.#carry = joined.slice(whole);
    return bytes;
  }

  /** Returns the bytes of the last, incomplete group. Throws if the text ends wrongly. */
  finish(): Buffer {
    if (this.#head !== null) this.#takeHeadAsBody();
    const start = this.#decodeCarefully(this.#carry);
    const tail = this.#carry.replace(/=+$/, '');
    if (tail.length === 1) throw this.#error('it ends in the middle of a group of four characters');
    if (tail.length !== this.#carry.length && this.#carry.length !== 4) {
      throw this.#error('its padding does not match its length');
    }
    const end = Buffer.from(tail, 'base64');
    if (end.length !== Math.floor((tail.length * 3) / 4)) throw this.#error(foreignCharacters);
    return start.length === 0 ? end : Buffer.concat([start, end]);
  }

  /** Collects text until it can tell whether it is a data URL. Returns the text after the comma. */
  #readHead(text: string): string {
    const head = this.#head + text.replace(this.#gaps, '');
    const prefix = head.slice(0, dataUrlPrefix.length).toLowerCase();
    if (!dataUrlPrefix.startsWith(prefix)) {
      this.#head = null;
      return head;
    }
    const comma = head.indexOf(',');
    if (comma === -1) {
      if (head.length > dataUrlHeadCharactersMax) throw this.#error('the head of its data URL is cut off');
      this.#head = head;
      return '';
    }
    if (!/;base64$/i.test(head.slice(0, comma))) {
      throw this.#error('its data URL must say ";base64" before the comma');
    }
    this.#head = null;
    return head.slice(comma + 1);
  }

  #takeHeadAsBody(): void {
    const head = this.#head ?? '';
    this.#head = null;
    if (head.length >= dataUrlPrefix.length) throw this.#error('its data URL has no comma');
    this.#carry = head;
  }

  /** Strips white space and padding, and refuses other characters that are not base64. */
  #decodeCarefully(joined: string): Buffer {
    const text = joined.replace(this.#gaps, '');
    const padAt = text.indexOf('=');
    const data = padAt === -1 ? text : text.slice(0, padAt);
    const padding = text.slice(data.length);
    if (!/^={0,2}$/.test(padding)) throw this.#error('it continues after its padding');
    const whole = data.length - (data.length % 4);
    const bytes = Buffer.from(data.slice(0, whole), 'base64');
    if (bytes.length !== (whole / 4) * 3) throw this.#error(foreignCharacters);
    this.#carry = data.slice(whole) + padding;
    return bytes;
  }

  #error(because: string): BodyFailure {
    return invalidBase64Error(this.#field, because);
  }
}

/** Decodes a text body of base64 or a data URL. Errors name the field. */
export async function* decodeBase64(chunks: AsyncIterable<Buffer>, field: string): AsyncGenerator<Buffer> {
  const decoder = new Base64Decoder(field);
  for await (const chunk of chunks) {
    const bytes = decoder.decode(chunk.toString('latin1'));
    if (bytes.length > 0) yield bytes;
  }
  const last = decoder.finish();
  if (last.length > 0) yield last;
}

export function invalidBase64Error(field: string, because: string): BodyFailure {
  return new BodyFailure('base64_invalid', `The base64 text cannot be read: ${because}.`, { field });
}
