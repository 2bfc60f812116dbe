/** Answers plain requests in front of Node.js's HTTP server, and shares connections with it. */

export { type Connections, endBehindLast, GatheredMessage } from './connections.ts';
export { serveFast, slowBodyCode } from './fastConnections.ts';
export type { FastPath } from './fastPath.ts';
export { GatheredBytes } from './gatheredBytes.ts';
export { linger, lingerAtEnd, throwAwayInput } from './gracefulClose.ts';
export { serveNatively } from './nativeConnections.ts';
export { finishPendingResponses } from './pendingResponses.ts';
export { type PlainAnswer, type PlainRequest, writeHeaders } from './simpleMessages.ts';
export { declinesUpgrade, reserveUpgrades } from './upgrades.ts';
