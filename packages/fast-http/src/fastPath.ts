/** The port to a fast path: what it gets of a request, and what it returns. */
import type { PlainRequest } from './simpleRequests.ts';

export type Headers = Readonly<Record<string, string>>;

export type PlainAnswer = {
  status: number;
  /** Header lines as `spellHeaders` writes them once for many answers. No header of the connection, here or below. */
  head: string;
  /** Headers of this response alone. */
  headers?: Headers;
  /** A string holds ASCII only. */
  body: Buffer | string | null;
  /** Called when the body has been sent or given up. */
  onSent?: () => void;
};

/** Takes a complete body and resolves to the answer; never rejects. */
export type BodyTaker = (body: Buffer) => Promise<PlainAnswer>;

/** `holder`: who the bytes of the body count for while they come. */
type Admission = { holder: string; take: BodyTaker };

/** Answers null for requests that Node.js's server must take. */
export type FastPath = {
  /** When the promise rejects, the request goes to Node.js's server, which meets the same failure. */
  answer(request: PlainRequest): PlainAnswer | Promise<PlainAnswer | null> | null;
  /** Judges the head of a request with a body before the body has come. */
  admit(request: PlainRequest): Admission | null;
};
