/** Chooses the id of a request, by which both sides find it in their logs. */
import type { IncomingMessage } from 'node:http';
import { newId } from '../domain/ids.ts';

/** Takes the caller's `X-Request-Id` when it is harmless. */
export function chooseRequestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const asked = headers['x-request-id'];
  return typeof asked === 'string' && /^[\w.-]{1,64}$/.test(asked) ? asked : newId();
}
