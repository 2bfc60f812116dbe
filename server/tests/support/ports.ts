/** Ports that are free just now, for programs that have to know theirs before they start. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';

export async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  server.close();
  await once(server, 'close');
  return address.port;
}
