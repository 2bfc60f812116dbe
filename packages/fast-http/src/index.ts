/** What the package offers: answers before Node.js's HTTP server, and what whoever stands behind it shares with it. */

export { spellHeaders } from './answers.ts';
export { type Connections, trackConnections } from './connections.ts';
export type { Admission, BodyTaker, FastPath, PlainAnswer } from './fastPath.ts';
export { type BytesAccount, GatheredBytes } from './gatheredBytes.ts';
export { answerHalfOpen } from './halfOpen.ts';
export { linger, lingerAtEnd, throwAwayInput } from './lingering.ts';
export { beginPlainly, type PlainOptions, slowBodyCode } from './plainConnections.ts';
export type { PlainRequest } from './plainRequests.ts';
export { readBehindUpgrades } from './upgrades.ts';
