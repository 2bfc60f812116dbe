/**
 * A cheap load generator: keep-alive connections on raw sockets, each with one request at a time. Run as a program, it reads its orders from standard
 * input and can have a separate core.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';

export type Load = {
  port: number;
  connections: number;
  seconds: number;
  /** Whole requests, headers and body. Connection i starts with request i and cycles through them. */
  requests: readonly string[];
  /** The rate over all connections. Omit it to send as fast as responses arrive. */
  requestsPerSecondMax?: number;
};

export type LoadResult = {
  requestsPerSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  statuses: Readonly<Record<string, number>>;
  /** Processor time of the load generator. */
  processorSeconds: number;
};

const readBytes = 64 * 1024;
const headEnd = Buffer.from('\r\n\r\n');

async function runLoad(load: Load): Promise<LoadResult> {
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  const startedAt = performance.now();
  const processorAtStart = process.cpuUsage();
  const endsAt = startedAt + load.seconds * 1000;
  const note = (status: string, tookMs: number) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
    latencies.push(tookMs);
  };
  const requests = load.requests.map(request => Buffer.from(request, 'latin1'));
  const intervalMs =
    load.requestsPerSecondMax === undefined ? 0 : (1000 * load.connections) / load.requestsPerSecondMax;
  await Promise.all(
    Array.from({ length: load.connections }, (_, index) =>
      driveConnection(load.port, { requests, index, endsAt, intervalMs, note }),
    ),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  latencies.sort((one, other) => one - other);
  const at = (share: number) => latencies[Math.floor(latencies.length * share)] ?? 0;
  const { user, system } = process.cpuUsage(processorAtStart);
  const requestsPerSecond = latencies.length / seconds;
  return {
    requestsPerSecond,
    p50: at(0.5),
    p99: at(0.99),
    statuses,
    processorSeconds: (user + system) / 1e6,
  };
}

type Drive = {
  index: number;
  endsAt: number;
  requests: readonly Buffer[];
  /** Time between two requests of a connection, unless the response takes longer. */
  intervalMs: number;
  note(status: string, tookMs: number): void;
};

async function driveConnection(
  port: number,
  { requests, index, endsAt, intervalMs, note }: Drive,
): Promise<void> {
  let turn = index;
  let sentAt = 0;
  let dueAt = performance.now();
  let pending: Buffer = Buffer.alloc(0);
  const send = () => {
    sentAt = performance.now();
    socket.write(requests[turn++ % requests.length]!);
  };
  /** Length of the response being read; null until its head is complete. */
  let length: number | null = null;
  let receivedBytes = 0;
  const take = (count: number, read: Uint8Array) => {
    const chunk = Buffer.from(read.buffer, read.byteOffset, count);
    receivedBytes += count;
    if (length === null) {
      pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
      length = responseLength(pending);
    }
    // Each connection has one request at a time, so nothing follows its answer.
    if (length === null || receivedBytes < length) {
      if (pending === chunk) pending = Buffer.from(chunk); // the next read overwrites it
      return true;
    }
    note(pending.toString('latin1', 9, 12), performance.now() - sentAt);
    pending = Buffer.alloc(0);
    length = null;
    receivedBytes = 0;
    dueAt += intervalMs;
    const pauseMs = dueAt - performance.now();
    if (performance.now() >= endsAt) socket.end();
    else if (pauseMs > 1) setTimeout(send, pauseMs);
    else send();
    return true;
  };
  // One buffer for all reads: allocating one for each costs more than the rest of the load.
  const onread = { buffer: Buffer.alloc(readBytes), callback: take };
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
  await once(socket, 'connect');
  send();
  await once(socket, 'close');
}

/** Returns the length of head and body, or null until the head is complete. */
function responseLength(bytes: Buffer): number | null {
  const end = bytes.indexOf(headEnd);
  if (end < 0) return null;
  const head = bytes.toString('latin1', 0, end);
  const length = /\r\ncontent-length: (\d+)/i.exec(head);
  return end + headEnd.length + Number(length?.[1] ?? 0);
}

if (import.meta.main) {
  // Only `startLoad` writes the orders.
  const load = JSON.parse(await text(process.stdin)) as Load;
  process.stdout.write(JSON.stringify(await runLoad(load)));
}
