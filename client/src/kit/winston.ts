/** A winston transport: `new TapedeckTransport({ url, token })`. */
import { Writable } from 'node:stream';
import { openBackpressure } from './logs/backpressure.ts';
import { readLevelWord } from './logs/levels.ts';
import type { LogOptions } from './logs/options.ts';
import { Tapedeck } from './node.ts';

type Info = Record<PropertyKey, unknown>;
type Format = { transform(info: Info, options?: unknown): unknown; options?: unknown };
type Logger = { level?: string; levels?: Readonly<Record<string, number>> };

export type TapedeckTransportOptions = {
  url: string;
  token: string;
  level?: string;
  silent?: boolean;
  format?: Format;
  /** winston then logs what would end the program, and ends it after 3 seconds. */
  handleExceptions?: boolean;
  /** The same for promises that are rejected without a handler. */
  handleRejections?: boolean;
} & LogOptions;

const levelKey = Symbol.for('level'); // the level without colour codes

/** winston accepts any object stream with `log`, so this needs none of its packages. */
export class TapedeckTransport extends Writable {
  readonly level: string | undefined;
  readonly silent: boolean;
  readonly format: Format | undefined;
  readonly handleExceptions: boolean;
  readonly handleRejections: boolean;
  readonly #tapedeck: Tapedeck;
  readonly #waitForRoom: () => Promise<void>;
  #logger: Logger = {};

  constructor(options: TapedeckTransportOptions) {
    const { url, token, level, silent = false, format, ...rest } = options;
    const { handleExceptions = false, handleRejections = false, ...logs } = rest;
    super({ objectMode: true });
    this.level = level;
    this.silent = silent;
    this.format = format;
    this.handleExceptions = handleExceptions;
    this.handleRejections = handleRejections;
    this.#tapedeck = new Tapedeck({ url, token, logs });
    this.#waitForRoom = openBackpressure(this.#tapedeck.logs);
    // winston pipes its logger into each transport.
    this.on('pipe', (logger: Logger) => {
      this.#logger = logger;
    });
  }

  log(info: Info, done: () => void): void {
    const { level, message, timestamp: _, trace, ...metadata } = info;
    const { logs } = this.#tapedeck;
    const word = String(info[levelKey] ?? level);
    const known = readLevelWord(word);
    const endsProgram = info.exception === true || info.rejection === true;
    const hasRoom = logs.write({
      level: known ?? 'info',
      message: typeof message === 'string' ? message : (JSON.stringify(message) ?? ''),
      // winston's `trace` of an exception repeats its stack, in several hundred values if stacks are long.
      metadata: {
        ...metadata,
        ...(!endsProgram && trace !== undefined && { trace }),
        ...(known === undefined && { level: word }),
      },
    });
    if (endsProgram) void logs.flush();
    if (hasRoom) done();
    else this.#waitForRoom().then(done, done);
  }

  override _write(info: Info, _: string, done: (error?: Error | null) => void): void {
    const formatted = this.#isWanted(info) ? this.#apply(info) : null;
    if (formatted === null) done();
    else this.log(formatted, () => done());
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#tapedeck.close().then(() => done(), done);
  }

  #isWanted(info: Info): boolean {
    if (this.silent) return false;
    const limit = this.#logger.levels?.[this.level ?? this.#logger.level ?? ''];
    const level = this.#logger.levels?.[String(info[levelKey])];
    return limit === undefined || level === undefined || level <= limit;
  }

  /** Returns null if the format drops the entry. */
  #apply(info: Info): Info | null {
    if (this.format === undefined) return info;
    const formatted = this.format.transform({ ...info }, this.format.options);
    // A format returns the entry, changed or not, or false.
    return formatted ? (formatted as Info) : null;
  }
}
