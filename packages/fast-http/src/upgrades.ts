/**
 * Requests behind one with `Upgrade`, when the server goes on with HTTP: Node.js's parser stops there, because another protocol
 * could follow, and what was read with that request is lost.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** What is used here of Node.js's parser, which its types leave out. */
type Parser = {
  /** Answers how many bytes were read, or what is wrong with them. */
  execute(bytes: Buffer): number | Error;
  /** The bytes that were read natively; to be asked only while that is told. */
  getCurrentBuffer(): Buffer;
  incoming?: { upgrade: boolean | null } | null;
  /** `kOnExecute` is the name of the listener that is told of bytes that were read natively. */
  constructor: { kOnExecute: number };
  [listener: number]: (result: number | Error) => void;
};

/** No connection of the server is given to another protocol; each is read on. */
export function readBehindUpgrades(server: Server): void {
  // An option of servers that Node.js's types know; the server keeps it under the same name.
  const options = server as Server & { shouldUpgradeCallback: (request: { socket: Socket }) => boolean };
  options.shouldUpgradeCallback = ({ socket }) => {
    readThroughStream(socket);
    return false;
  };
  server.on('connection', (socket: Socket) => executeWhole(findParser(socket)));
}

function findParser(socket: Socket): Parser {
  return (socket as Socket & { parser: Parser }).parser; // every socket that an HTTP server has taken has its parser here
}

/**
 * The parser stops behind a request with `Upgrade`, because another protocol could follow; when the server does not change
 * the protocol, nobody reads on. Parsers are used again for other connections, so one may have been changed before.
 */
function executeWhole(parser: Parser): void {
  if (Object.hasOwn(parser, 'execute')) return;
  const { execute } = parser;
  parser.execute = bytes => {
    let readBytes = 0;
    do {
      const result = execute.call(parser, bytes.subarray(readBytes));
      if (typeof result !== 'number') return result;
      readBytes += result;
    } while (readBytes < bytes.length && !parser.incoming?.upgrade); // `upgrade` is true behind CONNECT
    return readBytes;
  };
}

const throughStream = new WeakSet<Socket>();

/** With the next bytes the parser stops reading natively, and gets what it has left, and all that follows, by `execute`. */
function readThroughStream(socket: Socket): void {
  if (throughStream.has(socket)) return;
  throughStream.add(socket);
  const parser = findParser(socket);
  const { kOnExecute } = parser.constructor;
  const heed = parser[kOnExecute];
  if (heed === undefined) return;
  parser[kOnExecute] = result => {
    parser[kOnExecute] = heed;
    const rest = typeof result === 'number' ? parser.getCurrentBuffer().subarray(result) : null;
    heed(result);
    if (rest === null || socket.destroyed) return;
    socket.on('data', ignore).off('data', ignore); // a listener of somebody else ends native reading
    socket.push(''); // ends the stream's waiting, so that it begins to read
    socket.unshift(rest);
  };
}

const ignore = () => undefined;
