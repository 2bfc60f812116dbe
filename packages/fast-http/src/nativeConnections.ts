/** Leaves every connection to Node.js's server from its beginning, for a service that runs without a fast path. */
import type { Server } from 'node:http';
import { type Connections, trackConnections } from './connections.ts';
import { findHandOver } from './handOver.ts';
import { serveOffers } from './upgrades.ts';

/** To be called before anybody else listens to the server's connections. */
export function beginNatively(server: Server): Connections {
  // A property of servers that Node.js's types leave out: without it, the server would close its end before it has answered a client
  // that closes the other one right behind a request.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  const handOver = findHandOver(server);
  const connections = trackConnections(server);
  serveOffers(server, connections, handOver);
  return connections;
}
