/** Composes answers without the framework, with the same header lines that the framework would send. */

import type { PlainAnswer } from '@tapedeck/fast-http';
import type { Logger } from 'pino';
import { joinLines, jsonType, usualHeaders } from '../answerHeaders.ts';
import { otherSitesHeaders } from '../cors.ts';
import { describeFailure } from '../failures.ts';

/** `headers` holds names and values in turn. */
export type BareAnswer = { status: number; headers: readonly string[]; body: Buffer };

/** The headers of every JSON answer that pages of other sites may read. */
const jsonHeaders = Object.entries({
  ...usualHeaders,
  ...otherSitesHeaders,
  'cache-control': 'no-store',
  'content-type': jsonType,
}).flat();
const jsonText = joinLines(jsonHeaders);

export function composeRefusal(
  log: Logger,
  error: unknown,
  place: { requestId: string; route: string },
): BareAnswer {
  const { status, headers, body } = describeFailure(log, error, place);
  return { status, headers: Object.entries(headers).flat(), body: Buffer.from(JSON.stringify(body)) };
}

export function listHeaders({ headers, body }: BareAnswer, requestId: string): string[] {
  return [...jsonHeaders, ...headers, ...describeExchange(body, requestId)];
}

export function spellAnswer({ status, headers, body }: BareAnswer, requestId: string): PlainAnswer {
  return { status, head: jsonText + joinLines([...headers, ...describeExchange(body, requestId)]), body };
}

function describeExchange(body: Buffer, requestId: string): string[] {
  return ['x-request-id', requestId, 'content-length', String(body.length)];
}
