/**
 * The test data that each file in `ingest/protocols` provides: requests with the entries they store, requests that are refused, and bodies that
 * are slow to read.
 */
import type { HostileShape } from './hostileBodies.ts';
import type { Sent } from './protocolBodies.ts';

type StoredRequest = {
  title: string;
  /** `token` may write logs. Without headers it goes as a bearer token. */
  sent(to: { dataset: string; token: string }): Sent;
  status: number;
  /** The response without `took`; null accepts any. THE DATASET stands for the dataset's name. */
  body: unknown;
  /** As `level resource: body {metadata}`. */
  entries: readonly string[];
};

/** `narrow` may write only to the dataset `shown`, `media` only files. */
type Tokens = { narrow: string; media: string };

type RefusedRequest = {
  title: string;
  sent: Sent | ((tokens: Tokens) => Sent);
  status: number;
  says: RegExp;
};

/** Body sizes to test: three megabytes; that and one megabyte; or the most the main thread reads at once. */
export type SlowBodySize = 'large' | 'medium and large' | 'read at once';

type SlowBodies = { path: string; size: SlowBodySize; shapes: readonly HostileShape[] };

export type ProtocolRequests = {
  stored: readonly StoredRequest[];
  refused: readonly RefusedRequest[];
  slow: readonly SlowBodies[];
};
