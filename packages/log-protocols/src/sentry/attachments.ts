/**
 * Separates attachments from an envelope as it arrives. The rest is an envelope with the same items, in which all payloads are empty that nothing
 * reads. So neither a large attachment nor a recording takes memory, and neither costs the event that it came with.
 */
import type { JsonObject } from '@tapedeck/values/json';
import type { BodyPart, FileSeparator } from '../protocol.ts';
import { describeValue } from '../reading/bodySplitting.ts';
import {
  headersBytesMax,
  longHeadersError,
  newline,
  parseItemHeaders,
  readLength,
  shortItemError,
} from './envelope.ts';

/** The payload of an item. `left`: its missing bytes; null: it ends with its line. */
type Payload = { kind: 'rest' | 'content' | 'skipped'; left: number | null };

const emptyItem = Buffer.from('{}\n\n');
const piecesMax = 64; // of a line; a sender may split it into single bytes
const lineEnd = Buffer.from('\n');

export class AttachmentSeparator implements FileSeparator {
  /** `readsItem` says which types of items belong to the rest. */
  readonly #readsItem: (type: unknown) => boolean;
  /** The start of a header line that has not ended. */
  #line: Buffer[] = [];
  #lineBytes = 0;
  #headersLeft = headersBytesMax;
  #items = 0;
  #isBegun = false;
  #payload: Payload | null = null;

  constructor(readsItem: (type: unknown) => boolean) {
    this.#readsItem = readsItem;
  }

  add(chunk: Buffer): BodyPart[] {
    const parts: BodyPart[] = [];
    for (let at = 0; at < chunk.length; ) {
      // Without this loop, a body of line ends would cost hundreds of nanoseconds a byte.
      while (this.#isBetweenItems && chunk[at] === newline) at++;
      if (at === chunk.length) break;
      const bytes = at === 0 ? chunk : chunk.subarray(at);
      at +=
        this.#payload === null ? this.#readHeaders(bytes, parts) : this.#pass(this.#payload, bytes, parts);
    }
    return parts;
  }

  get pendingBytes(): number {
    return this.#lineBytes;
  }

  finish(): BodyPart[] {
    const parts: BodyPart[] = [];
    if (this.#lineBytes > 0) this.#endLine(parts);
    if (this.#payload !== null && this.#payload.left !== null) throw shortItemError(this.#items - 1);
    return parts;
  }

  get #isBetweenItems(): boolean {
    return this.#isBegun && this.#payload === null && this.#lineBytes === 0;
  }

  /** Returns how many bytes it took. */
  #readHeaders(bytes: Buffer, parts: BodyPart[]): number {
    const found = bytes.indexOf(newline);
    const taken = found === -1 ? bytes.length : found + 1;
    this.#headersLeft -= taken;
    if (this.#headersLeft < 0) throw longHeadersError();
    this.#line.push(bytes.subarray(0, taken));
    this.#lineBytes += taken;
    if (found !== -1) this.#endLine(parts);
    else if (this.#line.length === piecesMax) this.#line = [Buffer.concat(this.#line)];
    return taken;
  }

  #endLine(parts: BodyPart[]): void {
    const line = Buffer.concat(this.#line);
    this.#line = [];
    this.#lineBytes = 0;
    if (this.#isBegun) {
      if (line.toString().trim() !== '') this.#beginItem(line, parts);
      return;
    }
    this.#isBegun = true;
    parts.push({ kind: 'rest', bytes: line });
  }

  #beginItem(line: Buffer, parts: BodyPart[]): void {
    const headers = parseItemHeaders(line.toString(), this.#items++);
    const kind = this.#chooseKind(headers);
    const left = readLength(headers);
    parts.push({ kind: 'rest', bytes: kind === 'rest' ? line : emptyItem });
    if (kind === 'content') parts.push({ kind: 'file', filename: describeValue(headers.filename) });
    this.#payload = left === 0 ? null : { kind, left };
  }

  #chooseKind({ type }: JsonObject): Payload['kind'] {
    if (type === 'attachment') return 'content';
    return this.#readsItem(type) ? 'rest' : 'skipped';
  }

  /** Returns how many bytes it took. */
  #pass(payload: Payload, bytes: Buffer, parts: BodyPart[]): number {
    const found = payload.left === null ? bytes.indexOf(newline) : -1;
    const isLine = found !== -1;
    const taken = isLine ? found : Math.min(bytes.length, payload.left ?? bytes.length);
    if (taken > 0 && payload.kind !== 'skipped')
      parts.push({ kind: payload.kind, bytes: bytes.subarray(0, taken) });
    if (payload.left !== null) payload.left -= taken;
    if (!isLine && payload.left !== 0) return taken;
    if (payload.kind === 'rest') parts.push({ kind: 'rest', bytes: lineEnd });
    this.#payload = null;
    return isLine ? taken + 1 : taken;
  }
}
