/**
 * Handles every new connection. For small responses and bodies, Node.js's HTTP costs more than all other work, so this answers the requests that the
 * fast path can serve. The first other request hands the connection to Node.js's server for good.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as oneTurn } from 'node:timers/promises';
import { answerHalfClosed, type Connections, trackConnections } from './connections.ts';
import type { BodyTaker, FastPath } from './fastPath.ts';
import { type BytesAccount, GatheredBytes } from './gatheredBytes.ts';
import { findHandOver } from './handOver.ts';
import { type PlainAnswer, type PlainRequest, readPlainRequest, writeAnswer } from './simpleMessages.ts';
import { serveOffers } from './upgrades.ts';

/** The code of the `clientError` for a body that must give way to others. */
export const slowBodyCode = 'SLOW_BODY';

type PlainOptions = {
  fastPath: FastPath;
  /** The time limit for the first head. */
  headersMsMax: number;
  headersBytesMax: number;
  /** Requests with larger bodies go to Node.js's server. */
  bodyBytesMax: number;
  /** Counts the bytes of a body that arrives in pieces. `endSlow` ends its request and releases the bytes, when others wait for the room. */
  openAccount(holder: string, endSlow: () => void): BytesAccount;
};

/** Call this before adding other listeners for the server's connections. Tracks them like `trackConnections`. */
export function serveFast(server: Server, options: PlainOptions): Connections {
  answerHalfClosed(server);
  const handOver = findHandOver(server);
  server.removeAllListeners('connection');
  const connections = trackConnections(server);
  serveOffers(server, connections, handOver);
  server.on('connection', (socket: Socket) => {
    new PlainConnection(socket, {
      ...options,
      connections,
      keepAliveMs: server.keepAliveTimeout,
      // Longer than the header says, so that no request meets a closing connection.
      idleMsMax: server.keepAliveTimeout + server.keepAliveTimeoutBuffer,
      pass: () => handOver(socket),
      refuse: code => server.emit('clientError', Object.assign(new Error(code), { code }), socket),
    });
  });
  return connections;
}

type Serving = PlainOptions & {
  connections: Connections;
  keepAliveMs: number;
  idleMsMax: number;
  pass(): void;
  /** Refuses with the code that Node.js's parser would give. */
  refuse(code: string): void;
};

/** A request whose body is incomplete. `awaitedBytes` counts head and body. */
type Collecting = { gathered: GatheredBytes; headBytes: number; awaitedBytes: number; take: BodyTaker };

/** After a longer pause in a body, hands the request to Node.js's server, which answers 408 if the body stalls. */
const pauseMsMax = 1_000;

class PlainConnection {
  readonly #socket: Socket;
  readonly #serving: Serving;
  readonly #lastLines: string;
  #collecting: Collecting | null = null;
  /** Whether a response is being made. */
  #isBusy = false;
  #hasAnswered = false;
  /** Whether the client has closed its end, or sent `Connection: close`. */
  #isLast = false;

  constructor(socket: Socket, serving: Serving) {
    this.#socket = socket;
    this.#serving = serving;
    const seconds = Math.floor(serving.keepAliveMs / 1000);
    this.#lastLines = `Connection: keep-alive\r\nKeep-Alive: timeout=${seconds}\r\n`;
    socket.setTimeout(serving.headersMsMax);
    socket.on('data', this.#read).on('end', this.#end).on('error', this.#fail).on('timeout', this.#expire);
    socket.on('close', this.#drop);
  }

  readonly #read = (bytes: Buffer): void => {
    if (this.#socket.writableEnded) return; // the client has said that this was the last request
    if (this.#isBusy) {
      // Reads the next request after this response.
      this.#socket.pause().unshift(bytes);
      return;
    }
    if (this.#collecting !== null) {
      this.#collect(this.#collecting, bytes);
      return;
    }
    const request = this.#serving.connections.isStopping
      ? null
      : readPlainRequest(bytes, this.#serving.headersBytesMax);
    this.#isLast = request?.isLast === true;
    if (request === null) this.#handOver(bytes);
    else if (request.bodyBytes > 0) this.#begin(request, bytes);
    else this.#answer(request, bytes);
  };

  #answer(request: PlainRequest, bytes: Buffer): void {
    const answer = this.#serving.fastPath.answer(request);
    if (answer === null) this.#handOver(bytes);
    else if (answer instanceof Promise) void this.#wait(answer, bytes);
    else this.#write(answer);
  }

  async #wait(promised: Promise<PlainAnswer | null>, bytes: Buffer): Promise<void> {
    const socket = this.#socket;
    // In the socket's buffer, the bytes delay the `end` event until the response, and go along if the connection is handed over.
    socket.off('data', this.#read).pause().unshift(bytes);
    this.#serving.connections.hold(socket);
    this.#isBusy = true;
    const answer = await promised.catch(() => null);
    this.#isBusy = false;
    if (socket.destroyed) this.#removeListeners();
    else if (answer === null) {
      this.#removeListeners();
      this.#serving.pass();
      socket.resume();
    } else {
      socket.read(bytes.length);
      socket.on('data', this.#read).resume();
      this.#write(answer);
    }
    this.#releaseSoon();
  }

  #begin(request: PlainRequest, bytes: Buffer): void {
    const isSmall = request.bodyBytes <= this.#serving.bodyBytesMax;
    const admission = isSmall ? this.#serving.fastPath.admit(request) : null;
    if (admission === null) {
      this.#handOver(bytes);
      return;
    }
    const { headBytes, bodyBytes } = request;
    const { holder, take } = admission;
    const missingBytes = headBytes + bodyBytes - bytes.length;
    this.#serving.connections.hold(this.#socket);
    if (missingBytes === 0) {
      void this.#take(take, bytes.subarray(headBytes));
      return;
    }
    const collecting = {
      gathered: new GatheredBytes(this.#serving.openAccount(holder, this.#endSlow)),
      headBytes,
      awaitedBytes: headBytes + bodyBytes,
      take,
    };
    this.#collecting = collecting;
    this.#socket.setTimeout(pauseMsMax);
    this.#collect(collecting, bytes);
  }

  #collect(collecting: Collecting, bytes: Buffer): void {
    const { gathered, headBytes, take } = collecting;
    const fits = gathered.add(bytes);
    if (this.#collecting !== collecting) return; // it had to give way
    collecting.awaitedBytes -= bytes.length;
    if (collecting.awaitedBytes > 0 && fits) return;
    if (collecting.awaitedBytes !== 0) {
      this.#handOverGathered(gathered); // Node.js's server reports that there is no room
      return;
    }
    this.#collecting = null;
    this.#socket.setTimeout(this.#serving.idleMsMax);
    void this.#take(take, gathered.take().subarray(headBytes));
  }

  async #take(take: BodyTaker, body: Buffer): Promise<void> {
    this.#isBusy = true;
    const answer = await take(body);
    this.#isBusy = false;
    const socket = this.#socket;
    if (socket.destroyed) return;
    this.#write(answer);
    if (socket.isPaused() && !socket.writableNeedDrain) socket.resume();
    if (socket.readableLength > 0) this.#releaseSoon();
    else this.#serving.connections.release(socket);
  }

  /** Releases the connection only after reading its buffered bytes, because a stop closes connections that are not held. */
  #releaseSoon(): void {
    setImmediate(() => {
      if (!this.#isBusy && this.#collecting === null) this.#serving.connections.release(this.#socket);
    });
  }

  #write(answer: PlainAnswer): void {
    const socket = this.#socket;
    const isLast = this.#isLast || (this.#serving.connections.isStopping && socket.readableLength === 0);
    writeAnswer(socket, answer, isLast ? 'Connection: close\r\n' : this.#lastLines);
    if (socket.writableNeedDrain) {
      socket.pause();
      socket.once('drain', () => socket.resume());
    }
    if (!this.#hasAnswered) socket.setTimeout(this.#serving.idleMsMax);
    this.#hasAnswered = true;
    if (this.#isLast) socket.destroySoon();
  }

  #handOver(bytes: Buffer): void {
    this.#removeListeners();
    this.#serving.pass();
    this.#socket.unshift(bytes);
  }

  #handOverGathered(gathered: GatheredBytes): void {
    this.#collecting = null;
    this.#handOver(gathered.take());
    this.#releaseSoon();
  }

  readonly #end = (): void => {
    this.#isLast = true;
    if (this.#isBusy) return;
    if (this.#collecting === null) {
      this.#socket.end();
      return;
    }
    this.#refuse('HPE_INVALID_EOF_STATE');
  };

  readonly #endSlow = (): void => this.#refuse(slowBodyCode);

  /** Ends a request with an incomplete body. */
  #refuse(code: string): void {
    this.#drop();
    this.#collecting = null;
    this.#removeListeners();
    this.#serving.connections.release(this.#socket);
    this.#serving.refuse(code);
  }

  readonly #drop = (): void => this.#collecting?.gathered.drop();

  readonly #fail = (): void => {
    this.#socket.destroy();
  };

  readonly #expire = (): void => {
    if (this.#isBusy || this.#socket.writableLength > 0) return; // the response is not ready, or the client reads slowly
    if (this.#collecting !== null) {
      this.#handOverGathered(this.#collecting.gathered);
      return;
    }
    if (this.#socket.isPaused()) return; // this side paused the socket
    void this.#endUnlessBytesWait();
  };

  /** Timers run before I/O: after the process stalls, the request may already have arrived unread. */
  async #endUnlessBytesWait(): Promise<void> {
    const { bytesRead } = this.#socket;
    await oneTurn();
    if (this.#socket.bytesRead !== bytesRead || this.#socket.destroyed) return;
    this.#removeListeners();
    // Like Node.js's server, answers 408 only if no request was answered yet.
    if (this.#hasAnswered) this.#socket.destroy();
    else this.#serving.refuse('ERR_HTTP_REQUEST_TIMEOUT');
  }

  #removeListeners(): void {
    this.#socket.setTimeout(0);
    this.#socket.off('data', this.#read).off('end', this.#end);
    this.#socket.off('error', this.#fail).off('timeout', this.#expire);
    this.#socket.off('close', this.#drop);
  }
}
