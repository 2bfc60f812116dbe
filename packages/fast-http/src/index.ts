/** Answers plain requests in front of Node.js's HTTP server, and shares connections with it. */

export { spellHeaders } from './answers.ts';
export { type Connections, endBehindLast } from './connections.ts';
export { finishEarlierAnswers } from './earlierAnswers.ts';
export { beginPlainly, type PlainOptions, slowBodyCode } from './fastConnections.ts';
export type { Admission, BodyTaker, FastPath, PlainAnswer } from './fastPath.ts';
export { type BytesAccount, GatheredBytes } from './gatheredBytes.ts';
export { linger, lingerAtEnd, throwAwayInput } from './lingering.ts';
export { beginNatively } from './nativeConnections.ts';
export type { PlainRequest } from './simpleRequests.ts';
export { givesBackOffers, leaveOffers } from './upgrades.ts';
