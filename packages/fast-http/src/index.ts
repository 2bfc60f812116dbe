/** Answers plain requests in front of Node.js's HTTP server, and shares connections with it. */

export { spellHeaders } from './answers.ts';
export { type Connections, endBehindLast } from './connections.ts';
export { finishEarlierAnswers } from './earlierAnswers.ts';
export { GatheredMessage, serveInTurn } from './fairTurns.ts';
export { beginPlainly, slowBodyCode } from './fastConnections.ts';
export type { FastPath, PlainAnswer } from './fastPath.ts';
export { GatheredBytes } from './gatheredBytes.ts';
export { linger, lingerAtEnd, throwAwayInput } from './gracefulClose.ts';
export { beginNatively } from './nativeConnections.ts';
export type { PlainRequest } from './simpleRequests.ts';
export { givesBackOffers, leaveOffers } from './upgrades.ts';
