/** Takes in Fluentd's forward protocol. The shared key is a token; a message that asks for an acknowledgement gets it once its events are stored. */
import { randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import {
  type ForwardMessage,
  isKnownKey,
  ProtocolFailure,
  readForwardMessage,
  readPing,
  ValueScanner,
  writeAck,
  writeHelo,
  writePong,
} from '@tapedeck/log-protocols';
import { limits } from '../vocabulary.ts';
import { mayPass } from './messageBatches.ts';
import type { StoreSent } from './sentStore.ts';
import { type Conversation, listenTcp, type Place, type TcpListener } from './tcpListener.ts';

const handshakeMsMax = 10_000;
const heldBytesMax = 64 * 1024 ** 2; // of messages that have not come whole, of all connections
const nonceBytes = 16;
const retryMs = 1000;
const triesMax = 30; // of a message that nobody would send again
const unpack = promisify(gunzip);

type ForwardOptions = {
  store: StoreSent;
  key: string;
  report(error: unknown, lost: number): void;
};

export function openForwardListener(place: Place, options: ForwardOptions): Promise<TcpListener> {
  const held = { bytes: 0 };
  return listenTcp(place, socket => new ForwardConversation(socket, { ...options, held }));
}

class ForwardConversation implements Conversation {
  readonly #socket: Socket;
  readonly #options: ForwardOptions & { held: { bytes: number } };
  readonly #handshake: { nonce: Buffer; key: string };
  #busy: Promise<void> = Promise.resolve();
  #isStopping = false;

  constructor(socket: Socket, options: ForwardOptions & { held: { bytes: number } }) {
    this.#socket = socket;
    this.#options = options;
    this.#handshake = { nonce: randomBytes(nonceBytes), key: options.key };
    void this.#converse().catch(() => socket.destroy());
  }

  /** A message that is being stored is acknowledged still. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#busy;
  }

  async #converse(): Promise<void> {
    const socket = this.#socket;
    socket.write(writeHelo(this.#handshake.nonce));
    const timer = setTimeout(() => socket.destroy(), handshakeMsMax);
    let isKnown = false;
    try {
      for await (const bytes of this.#readMessages()) {
        if (this.#isStopping) return;
        if (isKnown) {
          this.#busy = this.#take(bytes);
          await this.#busy;
        } else {
          isKnown = this.#greet(bytes);
          clearTimeout(timer);
          if (!isKnown) return;
        }
      }
    } catch (error) {
      if (!(error instanceof ProtocolFailure)) throw error;
      this.#options.report(error, 0);
    } finally {
      clearTimeout(timer);
      if (!this.#isStopping) socket.destroySoon();
    }
  }

  /** Each value of the stream, as soon as it is whole. */
  async *#readMessages(): AsyncGenerator<Buffer> {
    const { held } = this.#options;
    let parts: Buffer[] = [];
    let length = 0;
    let scanner = new ValueScanner();
    try {
      // A socket without an encoding gives buffers.
      for await (const chunk of this.#socket as AsyncIterable<Buffer>) {
        parts.push(chunk);
        length += chunk.length;
        held.bytes += chunk.length;
        while (length >= scanner.wantedBytes) {
          const bytes = parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts);
          parts = [bytes];
          const end = scanner.findEnd(bytes);
          if (end === null) break;
          yield bytes.subarray(0, end);
          parts = [bytes.subarray(end)];
          length -= end;
          held.bytes -= end;
          scanner = new ValueScanner();
        }
        if (scanner.wantedBytes > limits.logBatchBytesMax || length > limits.logBatchBytesMax)
          throw new ProtocolFailure(
            'body_too_large',
            `A message may hold at most ${limits.logBatchBytesMax} bytes.`,
          );
        if (held.bytes > heldBytesMax && length > 0) return;
      }
    } finally {
      held.bytes -= length;
    }
  }

  /** Whether the sender knows the key. */
  #greet(bytes: Buffer): boolean {
    const ping = readPing(bytes);
    const isKnown = isKnownKey(ping, this.#handshake);
    const refusal = isKnown ? null : 'shared_key mismatch';
    this.#socket.write(writePong(ping, this.#handshake, { serverName: hostname(), refusal }));
    return isKnown;
  }

  async #take(bytes: Buffer): Promise<void> {
    const message = readForwardMessage(bytes);
    if (message === null) return; // a heartbeat
    const { chunk, tag, form } = message;
    const events = await unpackEvents(message);
    for (let tries = 1; ; tries++) {
      try {
        await this.#options.store(events, { protocol: 'forward', said: { tag, form } });
        break;
      } catch (error) {
        // Without an acknowledgement the sender repeats it. Otherwise it is tried here, and the sender waits meanwhile.
        const isLost = chunk === null && (!mayPass(error) || tries === triesMax || this.#isStopping);
        if (chunk !== null || isLost) {
          this.#options.report(error, isLost ? 1 : 0);
          this.#socket.destroy();
          return;
        }
        await wait(retryMs);
      }
    }
    if (chunk !== null) this.#socket.write(writeAck(chunk));
  }
}

async function unpackEvents({ events, isPacked }: ForwardMessage): Promise<Buffer> {
  if (!isPacked) return events;
  try {
    return await unpack(events, { maxOutputLength: limits.logBatchBytesMax });
  } catch (cause) {
    throw new ProtocolFailure('bad_request', 'The packed events are not valid gzip, or too large.', {
      cause,
    });
  }
}
