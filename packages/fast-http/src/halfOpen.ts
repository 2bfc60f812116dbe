/** Clients that close their end right behind a request: Node.js's server would close the other one before it has answered. */
import type { Server } from 'node:http';

export function answerHalfOpen(server: Server): void {
  // A property of servers that Node.js's types leave out.
  (server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true;
}
