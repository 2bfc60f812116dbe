/** Accepts Fluentd's forward protocol. The shared key is a token. Acknowledges a message that asks for it once its events are stored. */
import { createHash, hash, randomBytes } from 'node:crypto';
import type { Socket } from 'node:net';
import { hostname } from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { limits } from '@tapedeck/domain/vocabulary';
import {
  isKnownKey,
  ProtocolFailure,
  readForwardMessage,
  readPing,
  writeAck,
  writeHelo,
  writePong,
} from '@tapedeck/log-protocols';
import { HeldMessages, type LongMessage, MessageReader, type SentMessage } from './forwardMessages.ts';
import { type Portion, readArrivingPortions, readPortions } from './forwardPortions.ts';
import type { StoreSent } from './listenerStore.ts';
import { mayPass } from './messageBatches.ts';
import { type Conversation, listenTcp, type Place, type TcpListener } from './tcpListener.ts';
import type { Report } from './troubleLog.ts';

const handshakeMsMax = 10_000;
const nonceBytes = 16;
const retryMs = 1000;
const triesMax = 30; // of a message that no sender would send again
const greetingBytesMax = 8 * 1024; // unknown senders may send no more
const ackMsMax = 30_000; // for a sender that requests acknowledgements but does not read them

type ForwardOptions = { store: StoreSent; key: string; report: Report };
type ConversationOptions = ForwardOptions & { held: HeldMessages };

export function openForwardListener(place: Place, options: ForwardOptions): Promise<TcpListener> {
  const held = new HeldMessages();
  return listenTcp(place, {
    begin: socket => new ForwardConversation(socket, { ...options, held }),
    report: options.report,
  });
}

class ForwardConversation implements Conversation {
  readonly #socket: Socket;
  readonly #options: ConversationOptions;
  readonly #handshake: { nonce: Buffer; key: string };
  #busy: Promise<void> = Promise.resolve();
  #isKnown = false;
  readonly #stopping = new AbortController();

  constructor(socket: Socket, options: ConversationOptions) {
    this.#socket = socket;
    this.#options = options;
    this.#handshake = { nonce: randomBytes(nonceBytes), key: options.key };
    void this.#converse().catch(() => socket.destroy());
  }

  /** Still acknowledges a message that is being stored. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#busy.catch(() => {}); // its first `await` reports it
  }

  async #converse(): Promise<void> {
    const socket = this.#socket;
    socket.write(writeHelo(this.#handshake.nonce));
    const timer = setTimeout(() => socket.destroy(), handshakeMsMax);
    // A socket without an encoding yields buffers.
    const messages = new MessageReader(socket as AsyncIterable<Buffer>, {
      held: this.#options.held,
      bytesMax: () => (this.#isKnown ? limits.logBatchBytesMax : greetingBytesMax),
      takesLong: () => this.#isKnown,
    });
    try {
      for await (const sent of messages.read()) {
        if (this.#stopping.signal.aborted) return;
        if (this.#isKnown) {
          this.#busy = this.#take(sent);
          await this.#busy;
        } else {
          this.#isKnown = 'bytes' in sent && this.#greet(sent.bytes);
          clearTimeout(timer);
          if (!this.#isKnown)
            throw new ProtocolFailure('bad_request', 'The shared key does not match the token.');
        }
      }
    } catch (error) {
      if (!(error instanceof ProtocolFailure)) throw error;
      this.#options.report(error, 0);
    } finally {
      clearTimeout(timer);
      if (!this.#stopping.signal.aborted) socket.destroySoon();
    }
  }

  /** Returns whether the sender knows the key. */
  #greet(bytes: Buffer): boolean {
    const ping = readPing(bytes);
    const isKnown = isKnownKey(ping, this.#handshake);
    const refusal = isKnown ? null : 'shared_key mismatch';
    this.#socket.write(writePong(ping, this.#handshake, { serverName: hostname(), refusal }));
    return isKnown;
  }

  async #take(sent: SentMessage): Promise<void> {
    if (!('bytes' in sent)) return this.#takeLong(sent);
    const message = readForwardMessage(sent.bytes, sent.itemEnds);
    if (message === null) return; // a heartbeat
    const { chunk, tag } = message;
    let place = 0;
    for await (const portion of readPortions(message)) {
      // A sender that missed its acknowledgement resends the chunk with the same name, and it splits into the same portions.
      const key = chunk === null ? null : hash('sha256', `${place++} ${chunk}`, 'base64url');
      if (!(await this.#store(portion, { tag, key, isRepeated: chunk !== null }))) return;
    }
    if (chunk !== null) await this.#acknowledge(chunk);
  }

  /** The chunk's name comes last, so each portion's key is the hash of the message up to its end. */
  async #takeLong({ tag, events, readChunk }: LongMessage): Promise<void> {
    const { signal } = this.#stopping;
    const end = () => this.#socket.destroy(); // the rest may never come
    signal.addEventListener('abort', end);
    try {
      const digest = createHash('sha256').update(`${tag}\0`);
      for await (const portion of readArrivingPortions(events, this.#options.held)) {
        const key = digest.update(portion).copy().digest('base64url');
        if (!(await this.#store({ events: portion, form: 'packed' }, { tag, key, isRepeated: false })))
          return;
      }
      const chunk = await readChunk();
      if (chunk !== null) await this.#acknowledge(chunk);
    } finally {
      signal.removeEventListener('abort', end);
    }
  }

  async #acknowledge(chunk: string): Promise<void> {
    if (!this.#socket.write(writeAck(chunk))) await this.#awaitReader();
  }

  /** Returns whether they are stored; else closes the connection. */
  async #store({ events, form }: Portion, { tag, key, isRepeated }: Storing): Promise<boolean> {
    for (let tries = 1; ; tries++) {
      try {
        const refused = await this.#options.store(events, { protocol: 'forward', said: { tag, form } }, key);
        // The protocol shows a number.
        if (Number(refused) > 0) this.#options.report(new Error(refusedSentence), Number(refused));
        return true;
      } catch (error) {
        // A sender that wants acknowledgements repeats the message. For others this retries, while the sender waits.
        const isLost =
          !isRepeated && (!mayPass(error) || tries === triesMax || this.#stopping.signal.aborted);
        if (isRepeated || isLost) {
          this.#options.report(error, isLost ? 1 : 0);
          this.#socket.destroy();
          return false;
        }
        await wait(retryMs);
      }
    }
  }

  /** Reads no further message until the sender has read its acknowledgements. */
  async #awaitReader(): Promise<void> {
    const socket = this.#socket;
    const { signal } = this.#stopping;
    await new Promise<void>(resolve => {
      const end = () => {
        clearTimeout(timer);
        socket.off('drain', end).off('close', end);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(() => socket.destroy(), ackMsMax); // then `close` follows
      socket.on('drain', end).on('close', end);
      signal.addEventListener('abort', end);
      if (socket.destroyed || signal.aborted) end();
    });
  }
}

/** `isRepeated`: the sender repeats unacknowledged messages. */
type Storing = { tag: string; key: string | null; isRepeated: boolean };

const refusedSentence =
  'Events were not stored: they are older than the retention of their dataset, or exceed its limits.';
