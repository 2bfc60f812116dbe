/** Leaves every connection to Node.js's server, for a service without a fast path. */
import type { Server } from 'node:http';
import { answerHalfClosed, type Connections, trackConnections } from './connections.ts';
import { findHandOver } from './handOver.ts';
import { serveOffers } from './upgrades.ts';

/** Call this before adding other listeners for the server's connections. */
export function serveNatively(server: Server): Connections {
  answerHalfClosed(server);
  const handOver = findHandOver(server);
  const connections = trackConnections(server);
  serveOffers(server, connections, handOver);
  return connections;
}
