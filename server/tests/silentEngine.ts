/**
 * Stands where ClickHouse would: takes everything and finds nothing. For tests about the door, which would otherwise each
 * wait for an engine that they do not ask; whatever is about logs runs on the real one.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

let listening: Promise<string> | null = null;

/** Its URL; one for all services of this process. */
export function startSilentEngine(): Promise<string> {
  listening ??= listen();
  return listening;
}

async function listen(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.once('end', () => response.end());
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // an address, for it listens on one
}
