/** Reads the messages of the forward protocol as they arrive: short ones whole, of long ones one part of their events after the other. */
import {
  type LongHead,
  ProtocolFailure,
  readChunkName,
  readLongHead,
  ValueScanner,
} from '@tapedeck/log-protocols';
import { GrowingBytes } from './growingBytes.ts';

const heldBytesMax = 64 * 1024 ** 2; // of messages that are not stored yet, of all connections
const optionsBytesMax = 16 * 1024;

/** The memory that the messages of all connections take. */
export class HeldMessages {
  #bytes = 0;

  /** Throws where it becomes too much. */
  take(bytes: number): void {
    this.#bytes += bytes;
    if (this.#bytes > heldBytesMax)
      throw new ProtocolFailure(
        'body_too_large',
        'The unfinished messages of all connections take too much memory.',
      );
  }

  letGo(bytes: number): void {
    this.#bytes -= bytes;
  }
}

/** `itemEnds` are where its first items end, if it is a list. */
type WholeMessage = { bytes: Buffer; itemEnds: readonly number[] };

/** A message that is longer than a request may be. The events are read to their end before anything else is asked for. */
export type LongMessage = {
  tag: string;
  /** The bytes as they were sent, maybe compressed; in a list, one or more whole events at a time. */
  events: AsyncIterable<Buffer>;
  /** The name of the chunk, which stands behind the events; null: the sender wants no acknowledgement. */
  readChunk(): Promise<string | null>;
};

export type SentMessage = WholeMessage | LongMessage;

type ReaderOptions = {
  held: HeldMessages;
  /** How long a message may be that is read whole. */
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

  /** Each message as soon as it is whole, or known to be long. */
  async *read(): AsyncGenerator<SentMessage> {
    try {
      for (;;) {
        const message = await this.#readOne();
        if (message === null) return;
        try {
          yield message;
        } finally {
          if ('bytes' in message) this.#options.held.letGo(message.bytes.length);
        }
      }
    } finally {
      this.#options.held.letGo(this.#incoming.bytes.length);
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
        this.#options.held.letGo(options.length);
        return readChunkName(options);
      },
    };
  }

  async *#takeBytes(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0; ) {
      if (this.#incoming.bytes.length === 0) await this.#require();
      const part = this.#incoming.take(Math.min(left, this.#incoming.bytes.length));
      left -= part.length;
      this.#options.held.letGo(part.length);
      yield part;
    }
  }

  async *#takeValues(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0; left--) {
      const value = await this.#takeValue(this.#options.bytesMax());
      this.#options.held.letGo(value.length);
      yield value;
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

  /** The end of the value that comes first; null where it is not whole. */
  #find(scanner: ValueScanner): number | null {
    const { bytes } = this.#incoming;
    return bytes.length < scanner.wantedBytes ? null : scanner.findEnd(bytes);
  }

  #drop(bytes: number): void {
    this.#incoming.take(bytes);
    this.#options.held.letGo(bytes);
  }

  async #require(): Promise<void> {
    if (!(await this.#receive()))
      throw new ProtocolFailure('bad_request', 'The connection ended within a message.');
  }

  /** Whether more came. */
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
