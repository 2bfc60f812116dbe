/** Ends what goes on for long when the credential behind it is no longer good. */

import type { FastifyRequest } from 'fastify';
import { errorStatuses, isExpected, type ServiceError } from '../vocabulary.ts';
import { admitCaller, type CallerDeps } from './callers.ts';

/** A revoked token reads and writes nothing for longer than a second (CONTRACT.md, 2). */
export const accessIntervalMs = 700;

/** Judges the credential of the request again at each interval, and calls back when it is refused. */
export function watchAccess(
  deps: CallerDeps,
  request: FastifyRequest,
  onRefused: (error: unknown) => void,
): NodeJS.Timeout {
  const { route } = request.routeOptions.config;
  const look = async () => {
    if (route) await admitCaller(deps, route.access, request);
  };
  return setInterval(() => look().catch(onRefused), accessIntervalMs).unref();
}

/** Refuses a request whose sender loses the right to it while its body is on its way. Most bodies are complete in the next turn. */
export function watchBodyAccess(request: FastifyRequest, refuse: (failure: ServiceError) => void): void {
  const { raw } = request;
  setImmediate(() => {
    if (raw.complete || raw.destroyed) return;
    const look = () =>
      request.readmit?.().catch(error => {
        if (raw.complete || !isOfCredential(error)) return;
        clearInterval(timer);
        refuse(error);
      });
    const timer = setInterval(look, accessIntervalMs).unref();
    raw.once('close', () => clearInterval(timer));
  });
}

/** Throws when whoever has sent a body has lost the right to it meanwhile; asks only after bodies that took their time. */
export async function confirmAccess({ readmit }: FastifyRequest, startedAt: number): Promise<void> {
  if (readmit === null || performance.now() - startedAt < accessIntervalMs) return;
  await readmit().catch(error => {
    if (isOfCredential(error)) throw error;
  });
}

/** A credential that cannot be judged just now was good when the request began. */
function isOfCredential(error: unknown): error is ServiceError {
  return isExpected(error) && errorStatuses[error.code] < 500;
}
