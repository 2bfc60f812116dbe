/**
 * Sends requests. Looks up a name once, checks its addresses, and connects to exactly those, so that a second lookup cannot lead elsewhere. Does not
 * follow redirects.
 */
import { lookup as lookUp } from 'node:dns/promises';
import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestPlain,
} from 'node:http';
import { request as requestSecurely } from 'node:https';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from './addresses.ts';
import { OutgoingFailure } from './failure.ts';
import { readTarget, requireAllowed } from './targets.ts';

export type OutgoingRequest = {
  method: 'GET' | 'POST';
  url: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array | string | null;
};

export type OutgoingAnswer = {
  status: number;
  headers: IncomingHttpHeaders;
  /** The received bytes, within the limits. */
  body: Buffer;
};

/** Returns the addresses of a name, with family 4 or 6. */
type Resolve = (name: string) => Promise<{ address: string; family: number }[]>;

export type OutgoingOptions = {
  /** Checks a numeric address. By default, allows public ones. */
  isAllowed?: (address: string) => boolean;
  resolve?: Resolve;
  /** The time limit for everything: lookup, connection, sending, and the head of the response. */
  timeMsMax?: number;
  /** Longer responses are cut. */
  answerBytesMax?: number;
};

const timeMsDefault = 10_000;
const answerBytesDefault = 1024 * 1024;

export class Outgoing {
  readonly #options: Required<OutgoingOptions>;

  constructor({
    isAllowed = isPublicAddress,
    resolve = name => lookUp(name, { all: true }),
    timeMsMax = timeMsDefault,
    answerBytesMax = answerBytesDefault,
  }: OutgoingOptions = {}) {
    this.#options = { isAllowed, resolve, timeMsMax, answerBytesMax };
  }

  /** Throws if the address is not allowed, as far as it can tell without a lookup. */
  check(url: string): void {
    readTarget(url, this.#options.isAllowed);
  }

  /** Rejects with an `OutgoingFailure` if there is no response, or with the signal's reason once aborted. */
  async send(request: OutgoingRequest, signal?: AbortSignal): Promise<OutgoingAnswer> {
    const { isAllowed, timeMsMax } = this.#options;
    const url = readTarget(request.url, isAllowed);
    const timeout = AbortSignal.timeout(timeMsMax);
    const ending = signal === undefined ? timeout : AbortSignal.any([timeout, signal]);
    try {
      return await this.#exchange(url, request, ending);
    } catch (error) {
      if (error instanceof OutgoingFailure) throw error;
      signal?.throwIfAborted();
      if (timeout.aborted) {
        throw new OutgoingFailure('silent', `${url.host} did not answer within ${timeMsMax / 1000} seconds.`);
      }
      throw new OutgoingFailure('unreachable', describeFailure(url, error), { cause: error });
    }
  }

  #exchange(
    url: URL,
    { method, headers, body }: OutgoingRequest,
    signal: AbortSignal,
  ): Promise<OutgoingAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<OutgoingAnswer>();
    const send = url.protocol === 'https:' ? requestSecurely : requestPlain;
    const sent = send(url, { method, headers, agent: false, lookup: this.#lookUp(url), signal });
    sent.once('error', reject);
    sent.once('response', response => {
      sent.off('error', reject).on('error', () => {}); // from now on, the reader of the response handles errors
      void this.#read(response, sent).then(answer => resolve(answer));
    });
    sent.end(body ?? undefined);
    return promise;
  }

  /** Returns a lookup function for sockets. All addresses of a name must be allowed, because the socket may choose any. */
  #lookUp(url: URL): LookupFunction {
    const { resolve, isAllowed } = this.#options;
    return (name, options, callback) => {
      const find = async () => {
        const found = await resolve(name);
        if (found.length === 0) throw Object.assign(new Error(name), { code: 'ENODATA' });
        requireAllowed(
          url,
          found.map(({ address }) => address),
          isAllowed,
        );
        return found;
      };
      find().then(
        found => (options.all ? callback(null, found) : callback(null, found[0]!.address, found[0]!.family)),
        (error: NodeJS.ErrnoException) => callback(error, []),
      );
    };
  }

  /** The status matters most, so a body that is too long or breaks off is kept as far as it arrived. */
  async #read(response: IncomingMessage, sent: ClientRequest): Promise<OutgoingAnswer> {
    const chunks: Buffer[] = [];
    let missingBytes = this.#options.answerBytesMax;
    try {
      // Without an encoding, it yields bytes.
      for await (const chunk of response as AsyncIterable<Buffer>) {
        chunks.push(chunk.subarray(0, missingBytes));
        missingBytes -= chunk.length;
        if (missingBytes <= 0) break;
      }
    } catch {
      // The status has arrived, so a broken body does not matter.
    }
    sent.destroy();
    return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) };
  }
}

function describeFailure({ hostname, host }: URL, error: unknown): string {
  // Errors of sockets and parsers have a code.
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (['ENOTFOUND', 'EAI_AGAIN', 'ENODATA'].includes(code)) return `Could not find the host ${hostname}.`;
  if (code === 'ECONNREFUSED') return `${host} refused the connection.`;
  if (code === 'ECONNRESET' || code === 'EPIPE') return `${host} closed the connection.`;
  if (code.startsWith('HPE_')) return `${host} did not answer with HTTP.`;
  return `${host} could not be reached: ${message || code}.`;
}
