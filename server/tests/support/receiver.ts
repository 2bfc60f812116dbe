/** A receiver of notifications: keeps what it receives, and answers as the test says. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

type Received = { headers: IncomingHttpHeaders; body: string; bytes: Buffer; at: number };
type Answer = { status: number; headers?: Record<string, string>; body?: string | Buffer };

export type Receiver = AsyncDisposable & {
  /** Receives what is sent to this URL or below it. */
  url: string;
  received: Received[];
  /** Plans the next answers. Later requests get the default answer: 200, unless told otherwise. */
  plan(...answers: Answer[]): void;
  always(answer: Answer): void;
  /** Resolves to the requests once `count` have arrived; rejects on timeout. */
  wait(count: number, timeMsMax?: number): Promise<Received[]>;
};

const patienceMs = 100_000; // for a busy machine

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const planned: Answer[] = [];
  let usual: Answer = { status: 200 };
  // Another test's service may still send to the receiver that had this port before.
  const path = `/hook/secret-part-${randomUUID()}`;
  const server = createServer((request, response) => {
    if (!request.url?.startsWith(path)) {
      response.writeHead(404).end();
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const bytes = Buffer.concat(chunks);
      received.push({ headers: request.headers, body: bytes.toString(), bytes, at: Date.now() });
      const { status, headers = {}, body = 'taken' } = planned.shift() ?? usual;
      response.writeHead(status, headers).end(body);
      server.emit('received');
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  return {
    url: `http://127.0.0.1:${port}${path}`,
    received,
    plan: (...answers) => void planned.push(...answers),
    always: answer => {
      usual = answer;
    },
    wait: async (count, timeMsMax = patienceMs) => {
      const signal = AbortSignal.timeout(timeMsMax);
      while (received.length < count) await once(server, 'received', { signal });
      return received;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
