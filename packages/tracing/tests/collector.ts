/** A collector for tests that receives spans over HTTP, as JSON or protobuf, and responds as the test chooses. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

export type ReceivedSpan = {
  name: string;
  kind: number;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  traceState: string;
  startNanos: bigint;
  endNanos: bigint;
  attributes: Record<string, unknown>;
  hasFailed: boolean;
};

export type Collector = AsyncDisposable & {
  url: string;
  spans: ReceivedSpan[];
  resources: Record<string, unknown>[];
  headers: IncomingHttpHeaders[];
  /** Statuses of the next answers; 'never' leaves a request waiting until the end. */
  plan(...answers: (number | 'never')[]): void;
  /** Resolves once this many requests have arrived. */
  untilRequests(count: number): Promise<void>;
  /** Resolves to the first span with this name. */
  untilSpan(name: string): Promise<ReceivedSpan>;
};

export async function startCollector(port = 0): Promise<Collector> {
  const spans: ReceivedSpan[] = [];
  const resources: Record<string, unknown>[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const planned: (number | 'never')[] = [];
  const listeners = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const sent = await buffer(request);
    headers.push(request.headers);
    const answer = planned.shift() ?? 200;
    if (answer === 200) {
      const bytes = request.headers['content-encoding'] === 'gzip' ? gunzipSync(sent) : sent;
      const isJson = request.headers['content-type'] === 'application/json';
      const read = isJson ? readJson(bytes) : readProtobuf(bytes);
      spans.push(...read.spans);
      resources.push(read.resource);
    }
    if (answer !== 'never') response.writeHead(answer).end();
    for (const listener of [...listeners]) listener();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const until = async (isThere: () => boolean) => {
    while (!isThere()) {
      const { promise, resolve } = Promise.withResolvers<void>();
      listeners.add(resolve);
      await promise;
      listeners.delete(resolve);
    }
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    resources,
    headers,
    plan: (...answers) => planned.push(...answers),
    untilRequests: count => until(() => headers.length >= count),
    untilSpan: async name => {
      await until(() => spans.some(span => span.name === name));
      return spans.find(span => span.name === name)!;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

type Read = { spans: ReceivedSpan[]; resource: Record<string, unknown> };
type JsonPair = { key: string; value: Record<string, unknown> };

function readJson(bytes: Buffer): Read {
  const { resourceSpans } = JSON.parse(bytes.toString());
  const [{ resource, scopeSpans }] = resourceSpans;
  const readPairs = (pairs: JsonPair[]) =>
    Object.fromEntries(
      pairs.map(({ key, value }) => [
        key,
        'intValue' in value ? Number(value.intValue) : Object.values(value)[0],
      ]),
    );
  const spans = scopeSpans[0].spans.map((span: Record<string, string> & { attributes: JsonPair[] }) => ({
    name: span.name,
    kind: Number(span.kind),
    traceId: span.traceId,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId ?? '',
    traceState: span.traceState ?? '',
    startNanos: BigInt(span.startTimeUnixNano!),
    endNanos: BigInt(span.endTimeUnixNano!),
    attributes: readPairs(span.attributes),
    hasFailed: JSON.stringify(span.status) === '{"code":2}',
  }));
  return { spans, resource: readPairs(resource.attributes) };
}

type Field = { number: number; value: bigint | Buffer };

/** Yields the fields of any message. */
function* readFields(bytes: Buffer): Generator<Field> {
  let at = 0;
  const readVarint = () => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes[at++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  while (at < bytes.length) {
    const tag = Number(readVarint());
    const number = tag >> 3;
    const wireType = tag & 7;
    if (wireType === 0) yield { number, value: readVarint() };
    else {
      const length = wireType === 1 ? 8 : wireType === 5 ? 4 : Number(readVarint());
      yield { number, value: bytes.subarray(at, at + length) };
      at += length;
    }
  }
}

function listFields(bytes: Buffer, wanted: number): (bigint | Buffer)[] {
  return [...readFields(bytes)].flatMap(({ number, value }) => (number === wanted ? [value] : []));
}

function listMessages(bytes: Buffer, wanted: number): Buffer[] {
  return listFields(bytes, wanted).map(value => value as Buffer);
}

function readProtobuf(bytes: Buffer): Read {
  const [resourceSpans = Buffer.alloc(0)] = listMessages(bytes, 1);
  const [resource = Buffer.alloc(0)] = listMessages(resourceSpans, 1);
  const [scopeSpans = Buffer.alloc(0)] = listMessages(resourceSpans, 2);
  return { spans: listMessages(scopeSpans, 2).map(readSpan), resource: readPairs(resource, 1) };
}

function readSpan(bytes: Buffer): ReceivedSpan {
  const [traceId, spanId, traceState, parentSpanId, name, start, end, status] = [1, 2, 3, 4, 5, 7, 8, 15].map(
    number => listMessages(bytes, number)[0] ?? Buffer.alloc(0),
  );
  return {
    name: name!.toString(),
    kind: Number(listFields(bytes, 6)[0]),
    traceId: traceId!.toString('hex'),
    spanId: spanId!.toString('hex'),
    parentSpanId: parentSpanId!.toString('hex'),
    traceState: traceState!.toString(),
    startNanos: start!.readBigUInt64LE(),
    endNanos: end!.readBigUInt64LE(),
    attributes: readPairs(bytes, 9),
    hasFailed: listFields(status!, 3)[0] === 2n,
  };
}

function readPairs(bytes: Buffer, number: number): Record<string, unknown> {
  return Object.fromEntries(
    listMessages(bytes, number).map(pair => {
      const [key = Buffer.alloc(0)] = listMessages(pair, 1);
      const [value = Buffer.alloc(0)] = listMessages(pair, 2);
      return [key.toString(), readValue(value)];
    }),
  );
}

function readValue(bytes: Buffer): unknown {
  const [field] = readFields(bytes);
  if (field === undefined) return undefined;
  if (field.number === 1) return String(field.value);
  if (field.number === 2) return field.value === 1n;
  return field.number === 3
    ? Number(BigInt.asIntN(64, field.value as bigint))
    : (field.value as Buffer).readDoubleLE();
}
