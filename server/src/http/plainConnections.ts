/**
 * Where every connection begins. For a small file Node.js's HTTP costs more than all else that is done; so while the requests of a
 * connection are plain ones to which a door has the answer, they are answered from here. With the first that is anything
 * else the connection passes to Node.js's server for good, and that request is the first it sees.
 */
import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Connections } from './connections.ts';
import { currentHttpDate } from './httpDate.ts';
import { type PlainRequest, readPlainRequest } from './plainRequests.ts';

export type PlainAnswer = {
  status: number;
  /** Whole lines; those that belong to the connection are added here. */
  head: string;
  body: Buffer | null;
};

/** null is for Node.js's server. A promise is waited for; when it fails, Node.js's server meets that failure too. */
export type PlainDoor = (request: PlainRequest) => PlainAnswer | Promise<PlainAnswer | null> | null;

type Surroundings = { door: PlainDoor; connections: Connections; headersMsMax: number };

export function beginPlainly(server: Server, surroundings: Surroundings): void {
  const [passOn] = server.listeners('connection'); // Node.js's own comes with the server
  if (passOn === undefined) throw new Error('The server takes no connections.');
  server.removeListener('connection', passOn as () => void); // which of the signatures it has is of no interest here
  server.on('connection', (socket: Socket) =>
    servePlainly(socket, {
      ...surroundings,
      keepAliveMs: server.keepAliveTimeout,
      pass: () => passOn.call(server, socket),
      refuseSilence: () => server.emit('clientError', makeTimeoutError(), socket),
    }),
  );
}

type Serving = Surroundings & { keepAliveMs: number; pass(): void; refuseSilence(): void };

function servePlainly(
  socket: Socket,
  { door, connections, headersMsMax, keepAliveMs, ...ends }: Serving,
): void {
  const lastLines = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n\r\n`;
  let hasAnswered = false;
  const read = (bytes: Buffer) => {
    const request = connections.isStopping ? null : readPlainRequest(bytes);
    const answer = request && door(request);
    if (answer === null) handOver(bytes);
    else if (answer instanceof Promise) void wait(answer, bytes);
    else write(answer);
  };
  const wait = async (promised: Promise<PlainAnswer | null>, bytes: Buffer) => {
    // Back in the socket's buffer they keep its end from being told before the answer, and go along when it is passed on.
    socket.off('data', read).pause().unshift(bytes);
    const release = connections.hold(socket);
    const answer = await promised.catch(() => null);
    if (socket.destroyed) letGo();
    else if (answer === null) {
      letGo();
      ends.pass();
      socket.resume();
    } else {
      socket.read(bytes.length);
      socket.on('data', read).resume();
      write(answer);
    }
    release();
  };
  const write = ({ status, head, body }: PlainAnswer) => {
    const lines = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}Date: ${currentHttpDate()}\r\n${lastLines}`;
    writeTogether(socket, lines, body);
    if (socket.writableNeedDrain) {
      socket.pause();
      socket.once('drain', () => socket.resume());
    }
    if (!hasAnswered) socket.setTimeout(keepAliveMs);
    hasAnswered = true;
  };
  const handOver = (bytes: Buffer) => {
    letGo();
    ends.pass();
    socket.unshift(bytes);
  };
  const end = () => socket.end();
  const fail = () => socket.destroy();
  const expire = () => {
    if (socket.writableLength > 0 || socket.isPaused()) return; // a slow reader, or the wait is ours
    letGo();
    if (hasAnswered) socket.destroy();
    else ends.refuseSilence();
  };
  const letGo = () => {
    socket.setTimeout(0);
    socket.off('data', read).off('end', end).off('error', fail).off('timeout', expire);
  };
  socket.setTimeout(headersMsMax);
  socket.on('data', read).on('end', end).on('error', fail).on('timeout', expire);
}

function writeTogether(socket: Socket, lines: string, body: Buffer | null): void {
  if (body !== null) socket.cork();
  socket.write(lines, 'latin1');
  if (body === null) return;
  socket.write(body);
  socket.uncork();
}

/** As Node.js's server has it for those that began a request and did not end it. */
function makeTimeoutError(): Error {
  return Object.assign(new Error('Request timeout'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
}
