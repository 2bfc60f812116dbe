/** What the package offers: answers before Node.js's HTTP server, and what whoever stands behind it shares with it. */

export { spellHeaders } from './answers.ts';
export type { Connections } from './connections.ts';
export { finishEarlierAnswers } from './earlierAnswers.ts';
export { beginPlainly, type PlainOptions, slowBodyCode } from './fastConnections.ts';
export type { Admission, BodyTaker, FastPath, PlainAnswer } from './fastPath.ts';
export { type BytesAccount, GatheredBytes } from './gatheredBytes.ts';
export { linger, lingerAtEnd, throwAwayInput } from './lingering.ts';
export { beginNatively } from './nativeConnections.ts';
export type { PlainRequest } from './simpleRequests.ts';
export { endBehindOffers, givesBackOffers, leaveOffers } from './upgrades.ts';
