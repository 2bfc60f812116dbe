/** Leaves every connection to Node.js's server, for a service without a fast path. */
import type { Server } from 'node:http';
import { type Connections, trackConnections } from './connections.ts';
import { findHandOver } from './handOver.ts';
import { serveOffers } from './upgrades.ts';

/** Call this before adding other listeners for the server's connections. */
export function beginNatively(server: Server): Connections {
  // Node.js's types lack this property. Without it, the server would close its end before answering a client that closes its end right after a
  // request.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
  const handOver = findHandOver(server);
  const connections = trackConnections(server);
  serveOffers(server, connections, handOver);
  return connections;
}
