/**
 * Joins tiny chunks of a body. Node.js's server passes on each by itself, and two megabytes of them at a stretch: each would go through decoding,
 * hashing and storing by itself.
 */
import { IncomingMessage } from 'node:http';

const tinyBytes = 1_024;
const tinyChunksMax = 16; // of one body; those of usual clients are passed on at once
const gatheredMax = 2_000; // then the server stops reading; what it has read, up to eleven thousand chunks of one byte, still comes

/** Use this as the server's `IncomingMessage`. */
export class GatheredMessage extends IncomingMessage {
  #tinyChunks = 0;
  #gathered: Uint8Array[] = [];

  /** The server reads on when this returns true, or when the gathered bytes are taken. */
  override push(chunk: Uint8Array | null, encoding?: BufferEncoding): boolean {
    if (chunk === null) this.#passOn();
    else if (this.#gathered.length > 0 || (chunk.length < tinyBytes && ++this.#tinyChunks > tinyChunksMax)) {
      if (this.#gathered.push(chunk) === 1) setImmediate(() => this.#passOn());
      return this.#gathered.length < gatheredMax;
    }
    return super.push(chunk, encoding);
  }

  #passOn(): void {
    if (this.#gathered.length === 0) return;
    const bytes = Buffer.concat(this.#gathered);
    this.#gathered = [];
    super.push(bytes);
  }
}
