/** By which a request is found again in the logs of both sides. */
import type { IncomingMessage } from 'node:http';
import { newId } from '../domain/ids.ts';

/** The caller's own when it is harmless. */
export function chooseRequestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const asked = headers['x-request-id'];
  return typeof asked === 'string' && /^[\w.-]{1,64}$/.test(asked) ? asked : newId();
}
