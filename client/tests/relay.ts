/** A proxy that fails on purpose: it forwards requests to the real service, or does what the test says. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse, request as send } from 'node:http';
import type { AddressInfo } from 'node:net';

type Passed = { line: string; key: string | undefined; bytes: number; text: string };

/** `lose`: the service gets the request, but its response is lost. `break`: the request does not arrive. */
export type Behaviour =
  | 'pass'
  | 'lose'
  | 'break'
  | 'silence'
  | { status: number; headers?: Record<string, string>; body?: string };

type Relay = AsyncDisposable & {
  url: string;
  /** Every request, in arrival order. */
  passed: Passed[];
  /** Decides over each request; `number` counts from one. */
  behave(decide: (request: Passed, number: number) => Behaviour): void;
};

export async function startRelay(target: string): Promise<Relay> {
  const passed: Passed[] = [];
  let decide: (request: Passed, number: number) => Behaviour = () => 'pass';
  const server = createServer(async (request, response) => {
    const body = await readBody(request).catch(() => null);
    if (body === null) return;
    const key = request.headers['idempotency-key'];
    const text = request.headers['content-type'] === 'application/json' ? body.toString() : '';
    const seen = { line: `${request.method} ${request.url}`, key: key?.toString(), bytes: body.length, text };
    passed.push(seen);
    const behaviour = decide(seen, passed.length);
    if (behaviour === 'silence') return;
    if (behaviour === 'break') {
      request.socket.destroy();
      return;
    }
    if (typeof behaviour === 'object') {
      response.writeHead(behaviour.status, { 'Content-Type': 'application/json', ...behaviour.headers });
      response.end(behaviour.body ?? `{"error":"It answers ${behaviour.status}.","code":"made_up"}`);
      return;
    }
    forward(target, { request, body, response, isLost: behaviour === 'lose' });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    passed,
    behave(next) {
      decide = next;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

type Exchange = { request: IncomingMessage; body: Buffer; response: ServerResponse; isLost: boolean };

function forward(target: string, { request, body, response, isLost }: Exchange): void {
  const { method = 'GET', headers, url = '/' } = request;
  const onward = send(`${target}${url}`, { method, headers }, answer => {
    if (isLost) {
      answer.resume().on('end', () => request.socket.destroy());
      return;
    }
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => request.socket.destroy());
  onward.end(body);
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part);
  return Buffer.concat(parts);
}
