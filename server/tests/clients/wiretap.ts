/**
 * A stable address for a service that comes and goes. It passes bytes unchanged and records requests and responses. While there is no service,
 * it refuses connections.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer as createListener, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib';
import { readSnappy } from '@tapedeck/log-protocols';

type Exchange = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'httpVersion'> & {
  /** Decompressed. */
  body: Buffer;
  /** The status that the client got; null if no response came. */
  status: number | null;
};

export type Wiretap = AsyncDisposable & {
  url: string;
  exchanges: Exchange[];
  /** Sends new connections to another address. */
  lead(serviceUrl: string): Promise<void>;
  /** Ends all connections and accepts no new ones. */
  cut(): Promise<void>;
};

export async function openWiretap(): Promise<Wiretap> {
  const exchanges: Exchange[] = [];
  const sockets = new Set<Socket>();
  let target = 0;
  const listener = createListener(client => {
    const service = connect(target, '127.0.0.1');
    for (const socket of [client, service]) {
      sockets.add(socket);
      socket.on('error', () => {}); // the socket closes then
      socket.once('close', () => {
        sockets.delete(socket);
        client.destroy();
        service.destroy();
      });
    }
    listen(client, service, exchanges);
    client.pipe(service).pipe(client);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo; // it listens on TCP
  const cut = async () => {
    const closed = listener.listening ? once(listener, 'close') : null;
    listener.close();
    for (const socket of sockets) socket.resetAndDestroy();
    await closed;
  };
  return {
    url: `http://127.0.0.1:${port}`,
    exchanges,
    lead: async serviceUrl => {
      target = Number(new URL(serviceUrl).port);
      if (listener.listening) return;
      listener.listen(port, '127.0.0.1');
      await once(listener, 'listening');
    },
    cut,
    [Symbol.asyncDispose]: cut,
  };
}

/** Node.js's parser reads what the client sends; the statuses in the responses show which response belongs to which request. */
function listen(client: Socket, service: Socket, exchanges: Exchange[]): void {
  const asked: Exchange[] = [];
  const statuses: number[] = [];
  const settle = () => {
    for (const [index, status] of statuses.entries()) if (asked[index]) asked[index].status = status;
  };
  const parser = createServer(async (request, response) => {
    const { method, url, headers, httpVersion } = request;
    // Respond only after the body: an answered request gets no event when its connection ends.
    const body = unpack(await buffer(request).catch(() => Buffer.alloc(0)), headers);
    response.end();
    const exchange: Exchange = { method, url, headers, httpVersion, body, status: null };
    asked.push(exchange);
    exchanges.push(exchange);
    settle();
  });
  const copy = new Duplex({ read() {}, write: (_chunk, _encoding, done) => done() });
  copy.on('error', () => {}); // a request was cut off
  parser.emit('connection', copy);
  client.on('data', chunk => copy.push(chunk));
  client.once('close', () => copy.push(null));
  service.on('data', (chunk: Buffer) => {
    for (const [, digits] of chunk.toString('latin1').matchAll(/HTTP\/1\.[01] (\d{3}) /g)) {
      const status = Number(digits);
      if (status >= 200) statuses.push(status);
    }
    settle();
  });
}

function unpack(body: Buffer, { 'content-type': type, ...headers }: IncomingMessage['headers']): Buffer {
  const unpackers: Record<string, (bytes: Buffer) => Buffer> = {
    gzip: gunzipSync,
    deflate: inflateSync,
    br: brotliDecompressSync,
    zstd: zstdDecompressSync,
  };
  try {
    const bytes = unpackers[headers['content-encoding'] ?? '']?.(body) ?? body;
    return type === 'application/x-protobuf' && isSnappy(bytes) ? readSnappy(bytes, 100_000_000) : bytes;
  } catch {
    return body; // the body was cut off
  }
}

function isSnappy(bytes: Buffer): boolean {
  try {
    readSnappy(bytes, 100_000_000);
    return true;
  } catch {
    return false;
  }
}
