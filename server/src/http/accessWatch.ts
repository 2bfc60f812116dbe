/** Ends what goes on for long when the credential behind it is no longer good. */
import type { FastifyRequest } from 'fastify';
import { errorStatuses, ServiceError } from '../vocabulary.ts';
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

/** Refuses a request whose credential ends while its body is on its way. Most bodies are complete in the next turn. */
export function watchBodyAccess(
  deps: CallerDeps,
  request: FastifyRequest,
  refuse: (failure: ServiceError) => void,
): void {
  const { raw } = request;
  setImmediate(() => {
    if (raw.complete || raw.destroyed) return;
    const timer = watchAccess(deps, request, error => {
      // A credential that cannot be judged just now was good when the request began.
      if (raw.complete || !isOfCredential(error)) return;
      clearInterval(timer);
      refuse(error);
    });
    raw.once('close', () => clearInterval(timer));
  });
}

function isOfCredential(error: unknown): error is ServiceError {
  return error instanceof ServiceError && [401, 403].includes(errorStatuses[error.code]);
}
