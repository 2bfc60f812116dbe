/** The port to a fast path: the request that it gets, and the answer that it returns. */
import type { PlainAnswer, PlainRequest } from './simpleMessages.ts';

/** Takes a complete body and resolves to the answer; never rejects. */
export type BodyTaker = (body: Buffer) => Promise<PlainAnswer>;

/** `holder`: whose share of memory the arriving body counts toward. */
type Admission = { holder: string; take: BodyTaker };

/** Returns null for requests that Node.js's server must handle. */
export type FastPath = {
  /** If the promise rejects, the request goes to Node.js's server, which meets the same failure. */
  answer(request: PlainRequest): PlainAnswer | Promise<PlainAnswer | null> | null;
  /** Decides about a request from its head, before the body has arrived. */
  admit(request: PlainRequest): Admission | null;
};
