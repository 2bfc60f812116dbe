/** For tests: a proxy before a real S3 engine that misbehaves as told, request by request. */
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** `pass` forwards the request. The others imitate S3 engines and networks on bad days. */
export type Fault =
  | 'pass'
  | 'answer 403'
  | 'answer 500'
  | 'answer 503'
  | 'answer 507'
  | 'never answer'
  | 'answer slowly'
  | 'cut before the answer'
  | 'cut in mid-answer'
  | 'stop in mid-answer'
  | 'ignore the range';

export type FaultyProxy = AsyncDisposable & {
  endpoint: string;
  /** Sets what happens to the next requests of a method, in order. `last` applies to all later ones. */
  plan(method: string, faults: readonly Fault[], last?: Fault): void;
  /** Methods of the requests since the last plan. */
  readonly seen: string[];
  readonly inFlightMax: () => number;
  readonly openConnections: () => number;
};

export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  let plan: { method: string; faults: Fault[]; last: Fault } = { method: '', faults: [], last: 'pass' };
  let inFlight = 0;
  let inFlightMax = 0;
  const server = http.createServer((request, response) => {
    const method = request.method ?? '';
    seen.push(method);
    inFlightMax = Math.max(inFlightMax, ++inFlight);
    response.once('close', () => inFlight--);
    const fault = method === plan.method ? (plan.faults.shift() ?? plan.last) : 'pass';
    misbehave(fault, { request, response, target });
  });
  server.on('connection', socket => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo; // it listens on TCP
  return {
    endpoint: `http://127.0.0.1:${port}`,
    plan: (method, faults, last = 'pass') => {
      plan = { method, faults: [...faults], last };
      seen.length = 0;
      inFlightMax = 0;
    },
    seen,
    inFlightMax: () => inFlightMax,
    openConnections: () => sockets.size,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
}

const slowMs = 2_000; // long enough to notice, and too short to give up

type Exchange = { request: http.IncomingMessage; response: http.ServerResponse; target: string };

function misbehave(fault: Fault, exchange: Exchange): void {
  const { request, response } = exchange;
  request.on('error', () => {}); // the client may disconnect at any time
  if (fault === 'never answer') request.resume();
  else if (fault === 'answer slowly') setTimeout(forward, slowMs, 'pass', exchange);
  else if (fault === 'cut before the answer')
    request.once('data', () => request.socket.destroy()).once('end', () => request.socket.destroy());
  else if (fault.startsWith('answer ')) {
    request.resume();
    response.writeHead(Number(fault.slice(7)), { 'content-type': 'application/xml' });
    response.end('<?xml version="1.0"?><Error><Code>Planned</Code><Message>As planned.</Message></Error>');
  } else forward(fault, exchange);
}

function forward(fault: Fault, { request, response, target }: Exchange): void {
  const { method, headers } = request;
  const onward = http.request(`${target}${request.url}`, { method, headers }, answer => {
    const { 'content-range': _, ...unranged } = answer.headers;
    if (fault === 'ignore the range') response.writeHead(200, unranged);
    else response.writeHead(answer.statusCode ?? 0, answer.headers);
    answer.once('error', () => response.destroy());
    if (!fault.endsWith('in mid-answer')) answer.pipe(response);
    else {
      answer.once('data', (chunk: Buffer) => {
        answer.destroy();
        response.write(chunk.subarray(0, Math.ceil(chunk.length / 2)));
        if (fault === 'cut in mid-answer') setImmediate(() => request.socket.destroy());
      });
    }
  });
  onward.on('error', () => {
    // Swift sends a body with a HEAD's 404. That makes no difference once an answer has started.
    if (!response.headersSent) response.destroy();
  });
  response.once('close', () => onward.destroy());
  request.pipe(onward);
}
