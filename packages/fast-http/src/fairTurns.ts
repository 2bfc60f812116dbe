/**
 * Keeps one connection from taking a whole turn of the event loop. Node.js's server begins all requests that a client has sent without waiting for
 * answers, and passes on each chunk of a body by itself, up to two megabytes of either at a stretch.
 */
import { IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type Exchange = [request: IncomingMessage, response: ServerResponse];

/** The requests of a connection that wait for the one under way. */
type Line = { isBusy: boolean; waiting: Exchange[] };

const waitingMax = 16; // then the connection is not read; what was read, up to 64 KiB of requests, still waits
const allWaitingMax = 20_000; // on all connections; each takes some kilobytes

/** Serves the requests of a connection one after the other, each in a turn of its own. */
export function serveInTurn(serve: RequestListener): RequestListener {
  const lines = new WeakMap<Socket, Line>();
  let allWaiting = 0;

  function begin(line: Line, [request, response]: Exchange): void {
    line.isBusy = true;
    response.once('close', () => {
      if (line.waiting.length === 0) line.isBusy = false;
      else setImmediate(goOn, line, request.socket);
    });
    serve(request, response);
  }

  function goOn(line: Line, socket: Socket): void {
    if (socket.destroyed) {
      allWaiting -= line.waiting.splice(0).length;
      return;
    }
    const next = line.waiting.shift()!; // only a line with waiting requests goes on
    allWaiting--;
    if (line.waiting.length === 0) readOn(socket);
    begin(line, next);
  }

  return (request, response) => {
    const { socket } = request;
    const line = lines.get(socket) ?? { isBusy: false, waiting: [] };
    lines.set(socket, line);
    if (!line.isBusy) {
      begin(line, [request, response]);
      return;
    }
    line.waiting.push([request, response]);
    if (++allWaiting > allWaitingMax) socket.destroy();
    else if (line.waiting.length === waitingMax) pauseReading(socket);
  };
}

/**
 * Pauses a connection as Node.js's server does when too many answers wait to be sent: its parser otherwise reads on after each request. The server goes
 * on whenever part of an answer is sent.
 */
function stayPaused(this: Socket): void {
  // Node.js's types lack this property.
  (this as Socket & { _paused: boolean })._paused = true;
  this.pause();
}

function pauseReading(socket: Socket): void {
  socket.on('resume', stayPaused);
  stayPaused.call(socket);
}

function readOn(socket: Socket): void {
  socket.off('resume', stayPaused);
  socket.emit('drain');
}

const tinyBytes = 1_024;
const tinyChunksMax = 16; // of one body; those of usual clients are passed on at once
const gatheredMax = 2_000; // then the server stops reading; what it has read, up to eleven thousand chunks of one byte, still comes

/** Joins tiny chunks of a body, which would be decoded, hashed and stored one by one. Use this as the server's `IncomingMessage`. */
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
