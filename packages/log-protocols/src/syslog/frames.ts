/** Finds syslog messages in a stream, prefixed with their length or ended by a line break or NUL. A datagram is one message. */

const lengthDigitsMax = 7;
const newline = 0x0a;
const carriageReturn = 0x0d;
const nul = 0x00;
const space = 0x20;
const zero = 0x30;
const nine = 0x39;

/** `sentBytes` is the original length, before any cut. */
export type SyslogMessage = { bytes: Buffer; sentBytes: number };

/** Splits one stream into frames. Cuts messages after `messageBytesMax` and skips the rest. */
export class SyslogFrames {
  readonly #messageBytesMax: number;
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes of a counted message still to skip. */
  #skipped = 0;
  /** The start of a line that is too long. Its `sentBytes` counts what has arrived. */
  #longLine: SyslogMessage | null = null;
  /** Senders that end messages with NUL, such as Python's, may use line breaks inside them. */
  #endsWithNul = false;
  /** The rest holds no message end before this position. */
  #searched = 0;

  constructor(messageBytesMax: number) {
    this.#messageBytesMax = messageBytesMax;
  }

  /** The length of the unfinished message. */
  get waitingBytes(): number {
    return this.#rest.length;
  }

  /** The waiting bytes end with a line and may be a whole message. Only the next message would show it, and that may arrive much later. */
  get waitsBehindLine(): boolean {
    return (
      this.#endsWithNul &&
      this.#longLine === null &&
      this.#rest.at(-1) === newline &&
      readCount(this.#rest) === null
    );
  }

  /** Returns the messages that are now complete. */
  take(chunk: Buffer): SyslogMessage[] {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#endsWithNul ||= chunk.includes(nul);
    const messages: SyslogMessage[] = [];
    for (;;) {
      const step = this.#takeOne(bytes);
      if (step === null) break;
      bytes = bytes.subarray(step.next);
      this.#searched = 0;
      if (step.message !== null && step.message.bytes.length > 0) messages.push(step.message);
    }
    this.#rest = Buffer.from(bytes); // a copy, to free the memory of earlier messages
    return messages;
  }

  /** Returns the waiting message, at the end of the stream or after a line. */
  end(): SyslogMessage[] {
    const rest = trimEnd(this.#rest);
    const message = this.#endLongLine(rest.length) ?? describeWhole(rest);
    this.#rest = Buffer.alloc(0);
    this.#searched = 0;
    return message.bytes.length === 0 ? [] : [message];
  }

  #takeOne(bytes: Buffer): Step | null {
    if (bytes.length === 0) return null;
    if (this.#skipped > 0) {
      const next = Math.min(this.#skipped, bytes.length);
      this.#skipped -= next;
      return { message: null, next };
    }
    if (this.#longLine !== null) return this.#passLine(bytes, this.#longLine);
    const empties = this.#countEmpties(bytes);
    if (empties > 0) return { message: null, next: empties };
    const counted = readCount(bytes);
    if (counted === 'unfinished') return null;
    return counted === null ? this.#takeLine(bytes) : this.#takeCounted(bytes, counted);
  }

  /** Counts empty messages, to skip them all at once: a chunk may hold sixty thousand. */
  #countEmpties(bytes: Buffer): number {
    const end = this.#endsWithNul ? nul : newline;
    let count = 0;
    while (bytes[count] === end) count++;
    return count;
  }

  #takeCounted(bytes: Buffer, { start, length }: Count): Step | null {
    const end = start + Math.min(length, this.#messageBytesMax);
    if (bytes.length < end) return null;
    this.#skipped = start + length - end;
    const message = describeWhole(trimEnd(bytes.subarray(start, end)));
    return { message: this.#skipped > 0 ? { ...message, sentBytes: length } : message, next: end };
  }

  #takeLine(bytes: Buffer): Step | null {
    const end = this.#findEnd(bytes);
    if (end !== -1 && end <= this.#messageBytesMax)
      return { message: describeWhole(trimEnd(bytes.subarray(0, end))), next: end + 1 };
    if (bytes.length <= this.#messageBytesMax) return null;
    const max = this.#messageBytesMax;
    this.#longLine = { bytes: Buffer.from(bytes.subarray(0, max)), sentBytes: max };
    return { message: null, next: max };
  }

  /** Returns the line at its end, when its length is known. */
  #passLine(bytes: Buffer, line: SyslogMessage): Step | null {
    const end = this.#findEnd(bytes);
    if (end !== -1)
      return { message: this.#endLongLine(trimEnd(bytes.subarray(0, end)).length), next: end + 1 };
    const next = bytes.length - (bytes.at(-1) === carriageReturn ? 1 : 0); // a carriage return may belong to the end
    if (next === 0) return null;
    line.sentBytes += next;
    return { message: null, next };
  }

  #endLongLine(lastBytes: number): SyslogMessage | null {
    const line = this.#longLine;
    this.#longLine = null;
    return line && { ...line, sentBytes: line.sentBytes + lastBytes };
  }

  /** Returns -1 if the end has not arrived. */
  #findEnd(bytes: Buffer): number {
    if (!this.#endsWithNul) return bytes.indexOf(newline);
    const end = bytes.indexOf(nul, this.#searched);
    const text = end === -1 ? bytes : bytes.subarray(0, end);
    let line = text.indexOf(lineAndOpening, this.#searched);
    while (line !== -1 && !beginsWithPriority(text, line + 1)) line = text.indexOf(lineAndOpening, line + 1);
    if (end === -1 && line === -1) this.#searched = Math.max(bytes.length - priorityBytesMax, 0);
    return line === -1 ? end : line;
  }
}

/** The message, if any, and the position to continue at. */
type Step = { message: SyslogMessage | null; next: number };

function describeWhole(bytes: Buffer): SyslogMessage {
  return { bytes, sentBytes: bytes.length };
}

type Count = { start: number; length: number };

/** Reads `123 <…`. Returns null for other bytes: a message without a priority may also begin with digits. */
function readCount(bytes: Buffer): Count | null | 'unfinished' {
  let at = 0;
  let length = 0;
  for (; at < bytes.length && at <= lengthDigitsMax; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < zero || byte > nine || (at === 0 && byte === zero)) break;
    length = length * 10 + byte - zero;
  }
  if (at === 0 || at > lengthDigitsMax) return null;
  if (at === bytes.length) return 'unfinished';
  if (bytes[at] !== space) return null;
  if (at + 1 === bytes.length) return 'unfinished';
  return bytes[at + 1] === opening ? { start: at + 1, length } : null;
}

const opening = 0x3c; // <
const lineAndOpening = Buffer.from([newline, opening]);
const priorityBytesMax = 6; // a line break and `<191>`

function beginsWithPriority(bytes: Buffer, at: number): boolean {
  return /^<\d{1,3}>/.test(bytes.toString('latin1', at, at + priorityBytesMax));
}

/** Returns null if it is empty. RFC 5426 treats all lines as one message; some senders prefix a length anyway. */
export function readDatagram(bytes: Buffer, messageBytesMax: number): SyslogMessage | null {
  const counted = readCount(bytes);
  const isCounted = counted !== null && counted !== 'unfinished';
  const start = isCounted && counted.start + counted.length === bytes.length ? counted.start : 0;
  const whole = trimEnd(bytes.subarray(start));
  return whole.length === 0 ? null : { bytes: whole.subarray(0, messageBytesMax), sentBytes: whole.length };
}

function trimEnd(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0) {
    const last = bytes[end - 1];
    if (last !== newline && last !== carriageReturn && last !== nul) break;
    end--;
  }
  return bytes.subarray(0, end);
}

const lengthBytes = 4;
const prefixBytes = 2 * lengthBytes; // the kept length and the sent length

const sentBytesMax = 0xffff_ffff; // larger lengths are not counted

export function packMessages(messages: readonly SyslogMessage[]): Buffer {
  const parts = messages.flatMap(({ bytes, sentBytes }) => {
    const prefix = Buffer.alloc(prefixBytes);
    prefix.writeUInt32BE(bytes.length);
    prefix.writeUInt32BE(Math.min(sentBytes, sentBytesMax), lengthBytes);
    return [prefix, bytes];
  });
  return Buffer.concat(parts);
}

export function* unpackMessages(body: Buffer): Generator<SyslogMessage> {
  for (let at = 0; at + prefixBytes <= body.length; ) {
    const end = at + prefixBytes + body.readUInt32BE(at);
    yield { bytes: body.subarray(at + prefixBytes, end), sentBytes: body.readUInt32BE(at + lengthBytes) };
    at = end;
  }
}
