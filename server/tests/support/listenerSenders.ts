/** Sends syslog and Fluentd's forward protocol, and looks up the stored entries. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import type { TestService } from './service.ts';
import type { Entry } from './storedEntries.ts';

const findMsMax = 20_000;

type Sought = { token: string; query: string; count: number };

/** Polls until `count` entries are stored. */
export async function findEntries(
  service: Pick<TestService, 'fetch'>,
  { token, query, count }: Sought,
): Promise<Entry[]> {
  const deadline = performance.now() + findMsMax;
  for (;;) {
    const path = `/api/v3/logs?order=asc&limit=100&query=${encodeURIComponent(query)}`;
    const response = await service.fetch(path, { headers: { authorization: token } });
    const { data } = (await response.json()) as { data: Entry[] }; // CONTRACT.md, 4.2
    if (data.length >= count) return data;
    assert.ok(performance.now() < deadline, `found ${data.length} of ${count} entries of ${query}`);
    await wait(50);
  }
}

export async function open(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** Resolves to the next bytes. */
export async function receive(socket: Socket): Promise<Buffer> {
  const [chunk] = (await once(socket, 'data')) as [Buffer]; // without an encoding, sockets emit Buffers
  return chunk;
}

export const nil = Buffer.from([0xc0]);
export const text = (value: string) => Buffer.concat([Buffer.from([0xd9, value.length]), Buffer.from(value)]);
export const list = (...items: Buffer[]) => Buffer.concat([Buffer.from([0x90 | items.length]), ...items]);
export const map = (pairs: Readonly<Record<string, string>>) =>
  Buffer.concat([Buffer.from([0x80 | Object.keys(pairs).length]), ...Object.entries(pairs).flat().map(text)]);
export const bytes = (value: Buffer) =>
  Buffer.concat([Buffer.from([0xc5, value.length >> 8, value.length & 0xff]), value]);

/** Performs the forward protocol's handshake and resolves to the server's answer. */
export async function greet(socket: Socket, key: string): Promise<Buffer> {
  const helo = await receive(socket);
  const start = helo.indexOf('nonce') + 'nonce'.length;
  const nonce = helo.subarray(start + 2, start + 2 + (helo[start + 1] ?? 0));
  const digest = createHash('sha512').update('salt').update('client').update(nonce).update(key).digest('hex');
  socket.write(list(text('PING'), text('client'), text('salt'), text(digest), text(''), text('')));
  return receive(socket);
}
