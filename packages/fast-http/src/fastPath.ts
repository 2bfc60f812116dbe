/** The port to a fast path: the request that it gets, and the answer that it returns. */
import type { PlainRequest } from './simpleRequests.ts';

export type Headers = Readonly<Record<string, string>>;

export type PlainAnswer = {
  status: number;
  /** Header lines that `spellHeaders` prepares for many responses. Connection headers do not belong here or below. */
  head: string;
  /** Headers of this response only. */
  headers?: Headers;
  /** A string must be ASCII. */
  body: Buffer | string | null;
  /** Called when the body has been sent or abandoned. */
  onSent?: () => void;
};

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
