/**
 * Every connection starts here. For small responses and small bodies, Node.js's HTTP costs more than all other work, so
 * this answers the plain requests that the fast path can serve. The first other request hands the connection to
 * Node.js's server for good.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { setImmediate as oneTurn } from 'node:timers/promises';
import { writeAnswer } from './answers.ts';
import { type Connections, trackConnections } from './connections.ts';
import type { BodyTaker, FastPath, PlainAnswer } from './fastPath.ts';
import { type BytesAccount, GatheredBytes } from './gatheredBytes.ts';
import { findHandOver } from './handOver.ts';
import { type PlainRequest, readPlainRequest } from './simpleRequests.ts';
import { serveOffers } from './upgrades.ts';

/** The code of the `clientError` for a body that has to give way to others. */
export const slowBodyCode = 'SLOW_BODY';

type PlainOptions = {
  fastPath: FastPath;
  /** How long the first head may take to come. */
  headersMsMax: number;
  headersBytesMax: number;
  /** Requests with larger bodies go to Node.js's server. */
  bodyBytesMax: number;
  /**
   * Keeps account of a body that comes in pieces. `endSlow` ends its request, and lets the bytes go: it may be called while others
   * wait for the room.
   */
  openAccount(holder: string, endSlow: () => void): BytesAccount;
};

/** To be called before anybody else listens to the server's connections. Tracks them, as `trackConnections` does. */
export function beginPlainly(server: Server, options: PlainOptions): Connections {
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

/** A request whose body has not come whole. `awaitedBytes` counts head and body. */
type Collecting = { gathered: GatheredBytes; headBytes: number; awaitedBytes: number; take: BodyTaker };

/** After a longer pause in a body the request goes to Node.js's server, which answers 408 when the body stops coming. */
const pauseMsMax = 1_000;

class PlainConnection {
  readonly #socket: Socket;
  readonly #serving: Serving;
  readonly #lastLines: string;
  #collecting: Collecting | null = null;
  /** Whether an answer is being made. */
  #isBusy = false;
  #hasAnswered = false;
  /** Whether the client has closed its end, or has sent `Connection: close`. */
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
    if (this.#socket.writableEnded) return; // this was the last request, by the client's own word
    if (this.#isBusy) {
      // The next request is read after the answer to this one.
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
    // Back in the socket's buffer they keep its end from being told before the answer, and go along when it is passed on.
    socket.off('data', this.#read).pause().unshift(bytes);
    this.#serving.connections.hold(socket);
    this.#isBusy = true;
    const answer = await promised.catch(() => null);
    this.#isBusy = false;
    if (socket.destroyed) this.#letGo();
    else if (answer === null) {
      this.#letGo();
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
    const isRoom = gathered.add(bytes);
    if (this.#collecting !== collecting) return; // it had to give way
    collecting.awaitedBytes -= bytes.length;
    if (collecting.awaitedBytes > 0 && isRoom) return;
    if (collecting.awaitedBytes !== 0) {
      this.#handOverGathered(gathered); // without room Node.js's server says so
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

  /** Releases the connection only after its buffered bytes were read: a stop closes connections that are not held. */
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
    this.#letGo();
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

  /** Ends a request whose body has not come whole. */
  #refuse(code: string): void {
    this.#drop();
    this.#collecting = null;
    this.#letGo();
    this.#serving.connections.release(this.#socket);
    this.#serving.refuse(code);
  }

  readonly #drop = (): void => this.#collecting?.gathered.drop();

  readonly #fail = (): void => {
    this.#socket.destroy();
  };

  readonly #expire = (): void => {
    if (this.#isBusy || this.#socket.writableLength > 0) return; // the wait is ours, or the reader is slow
    if (this.#collecting !== null) {
      this.#handOverGathered(this.#collecting.gathered);
      return;
    }
    if (this.#socket.isPaused()) return; // ours as well
    void this.#endUnlessBytesWait();
  };

  /** Timers come before what arrives: after a stall of this process, the request may be there already, unread. */
  async #endUnlessBytesWait(): Promise<void> {
    const { bytesRead } = this.#socket;
    await oneTurn();
    if (this.#socket.bytesRead !== bytesRead || this.#socket.destroyed) return;
    this.#letGo();
    // As Node.js's server has it for those that began a request and did not end it.
    if (this.#hasAnswered) this.#socket.destroy();
    else this.#serving.refuse('ERR_HTTP_REQUEST_TIMEOUT');
  }

  #letGo(): void {
    this.#socket.setTimeout(0);
    this.#socket.off('data', this.#read).off('end', this.#end);
    this.#socket.off('error', this.#fail).off('timeout', this.#expire);
    this.#socket.off('close', this.#drop);
  }
}
