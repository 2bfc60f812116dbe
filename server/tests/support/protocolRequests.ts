/**
 * What each file in `ingest/protocols` says about its protocol, for tests: requests over HTTP with what is stored of them, requests that are
 * refused, and bodies that take long to read.
 */
import type { HostileShape } from './hostileBodies.ts';
import type { Sent } from './protocolBodies.ts';

type StoredRequest = {
  title: string;
  /** `token` may write logs. Without headers it is sent as a bearer token. */
  sent(to: { dataset: string; token: string }): Sent;
  status: number;
  /** The response without `took`; null: any. THE DATASET stands for its name. */
  body: unknown;
  /** As `level resource: body {metadata}`. */
  entries: readonly string[];
};

/** `narrow` may write to the dataset `shown` alone, `media` only files. */
type Tokens = { narrow: string; media: string };

type RefusedRequest = {
  title: string;
  sent: Sent | ((tokens: Tokens) => Sent);
  status: number;
  says: RegExp;
};

/** How large a body is: three megabytes, also one, or as large as the main thread reads at once. */
export type SlowBodySize = 'large' | 'medium and large' | 'read at once';

type SlowBodies = { path: string; size: SlowBodySize; shapes: readonly HostileShape[] };

export type ProtocolRequests = {
  stored: readonly StoredRequest[];
  refused: readonly RefusedRequest[];
  slow: readonly SlowBodies[];
};
