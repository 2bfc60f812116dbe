/** Reads the messages of the forward protocol as they arrive: short ones whole, and the events of long ones part by part. */
import { takeTurns } from '@tapedeck/concurrency/turns';
import {
  type LongHead,
  ProtocolFailure,
  readChunkName,
  readLongHead,
  ValueScanner,
} from '@tapedeck/log-protocols';
import { GrowingBytes } from './growableBuffer.ts';

const heldBytesMax = 64 * 1024 ** 2; // unstored messages of all connections together
const optionsBytesMax = 16 * 1024;

/** The memory held by the messages of all connections. */
export class HeldMessages {
  #bytes = 0;

  /** Throws if the total becomes too large. */
  take(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > heldBytesMax)
      throw new ProtocolFailure(
        'body_too_large',
        'The unfinished messages of all connections take too much memory.',
      );
  }

  release(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** `itemEnds`: the ends of its first items, if it is a list. */
type WholeMessage = { bytes: Buffer; itemEnds: readonly number[] };

/** A message longer than a request may be. The caller must read all its events before anything else. */
export type LongMessage = {
  tag: string;
  /** The bytes as sent, possibly compressed. For a list, one or more whole events at a time. */
  events: AsyncIterable<Buffer>;
  /** Reads the name of the chunk, which follows the events; null: the sender wants no acknowledgement. */
  readChunk(): Promise<string | null>;
};

export type SentMessage = WholeMessage | LongMessage;

type ReaderOptions = {
  held: HeldMessages;
  /** The size limit of a message that is read whole. */
  bytesMax(): number;
  /** Whether longer ones are read in parts. */
  takesLong(): boolean;
};

export class MessageReader {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #options: ReaderOptions;
  readonly #incoming = new GrowingBytes();

  constructor(chunks: AsyncIterable<Buffer>, options: ReaderOptions) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#options = options;
  }

  /** Yields each message once it is complete, or known to be long. */
  async *read(): AsyncGenerator<SentMessage> {
    try {
      for (;;) {
        const message = await this.#readOne();
        if (message === null) return;
        try {
          yield message;
        } finally {
          if ('bytes' in message) this.#options.held.release(message.bytes.length);
        }
      }
    } finally {
      this.#options.held.release(this.#incoming.bytes.length);
      await this.#chunks.return?.();
    }
  }

  /** null: the connection ended. */
  async #readOne(): Promise<SentMessage | null> {
    const scanner = new ValueScanner();
    for (;;) {
      const end = this.#find(scanner);
      if (end !== null) return { bytes: this.#incoming.take(end), itemEnds: scanner.itemEnds };
      const bytesMax = this.#options.bytesMax();
      if (scanner.wantedBytes > bytesMax || this.#incoming.bytes.length > bytesMax) {
        const head = this.#options.takesLong() ? readLongHead(this.#incoming.bytes) : null;
        if (head === null) throw this.#tooLongError(bytesMax);
        return this.#openLong(head);
      }
      if (!(await this.#receive())) return null;
    }
  }

  #openLong({ tag, form, size, headBytes, hasOptions }: LongHead): LongMessage {
    this.#drop(headBytes);
    return {
      tag,
      events: form === 'list' ? this.#takeValues(size) : this.#takeBytes(size),
      readChunk: async () => {
        if (!hasOptions) return null;
        const options = await this.#takeValue(optionsBytesMax);
        this.#options.held.release(options.length);
        return readChunkName(options);
      },
    };
  }

  async *#takeBytes(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      if (this.#incoming.bytes.length === 0) await this.#require();
      const part = this.#incoming.take(Math.min(left, this.#incoming.bytes.length));
      left -= part.length;
      this.#options.held.release(part.length);
      yield part;
    }
  }

  async *#takeValues(count: number): AsyncGenerator<Buffer> {
    const takeTurn = takeTurns(); // a chunk may hold sixty thousand
    for (let left = count; left > 0; left--) {
      const value = await this.#takeValue(this.#options.bytesMax());
      this.#options.held.release(value.length);
      yield value;
      await takeTurn();
    }
  }

  async #takeValue(bytesMax: number): Promise<Buffer> {
    const scanner = new ValueScanner();
    for (let end = this.#find(scanner); ; end = this.#find(scanner)) {
      if (end !== null) return this.#incoming.take(end);
      if (scanner.wantedBytes > bytesMax) throw this.#tooLongError(bytesMax);
      await this.#require();
    }
  }

  /** Returns the end of the first value; null: incomplete. */
  #find(scanner: ValueScanner): number | null {
    const { bytes } = this.#incoming;
    return bytes.length < scanner.wantedBytes ? null : scanner.findEnd(bytes);
  }

  #drop(bytes: number): void {
    this.#incoming.take(bytes);
    this.#options.held.release(bytes);
  }

  async #require(): Promise<void> {
    if (!(await this.#receive()))
      throw new ProtocolFailure('bad_request', 'The connection ended within a message.');
  }

  /** Returns whether more came. */
  async #receive(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (done) return false;
    this.#incoming.add(value);
    this.#options.held.take(value.length);
    return true;
  }

  #tooLongError(bytesMax: number): ProtocolFailure {
    const what = this.#options.takesLong() ? 'An event' : 'A message before the handshake';
    return new ProtocolFailure('body_too_large', `${what} may hold at most ${bytesMax} bytes.`);
  }
}
