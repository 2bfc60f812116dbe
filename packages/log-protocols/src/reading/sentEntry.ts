/** The entry that every protocol's reader produces, with the dataset that it names. */

import { entryLimits, type LevelSynonyms, type LogLevel } from '@tapedeck/log-entries';
import { Failure } from '@tapedeck/values/failure';

export const protocolCodes = [
  'bad_request',
  'invalid_field',
  'invalid_json',
  'body_too_large',
  'not_found',
  'method_not_allowed',
] as const;
type ProtocolCode = (typeof protocolCodes)[number];

/** Says why a body cannot be read. */
export class ProtocolFailure extends Failure<ProtocolCode> {}

/** Like an item of a batch. The writer checks its limits. */
export type SentEntry = {
  /** null: it names none. */
  dataset: string | null;
  level: LogLevel;
  message: string;
  resource: string;
  /** Unix milliseconds with a fraction, or the sent value; undefined: the time of receipt. */
  timestamp: unknown;
  metadata: Readonly<Record<string, unknown>>;
};

/** Words for levels. */
export type Wording = { levels: LevelSynonyms };

/** Protects memory: entries of one or two bytes take far more as objects. */
export function requireCount(count: number): void {
  if (count <= entryLimits.requestItemsMax) return;
  throw new ProtocolFailure(
    'body_too_large',
    `A request may hold at most ${entryLimits.requestItemsMax.toLocaleString('en')} log entries; split it into several.`,
  );
}

const depthMax = 100; // entries may hold a fifth of that

/** Protects the stack. */
export function requireDepth(depth: number): void {
  if (depth > depthMax) throw tooDeepError();
}

export function tooDeepError(cause?: unknown): ProtocolFailure {
  return new ProtocolFailure('bad_request', `Values may be nested at most ${depthMax} levels deep.`, {
    cause,
  });
}
