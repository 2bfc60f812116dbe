/** Ends a stream when the credential of its reader is no longer good. */
import type { FastifyRequest } from 'fastify';
import { admitCaller, type CallerDeps } from './callers.ts';

const accessIntervalMs = 700; // a revoked token reads nothing for longer than a second (CONTRACT.md, 2)

/** Judges the credential of the request again at each interval, and calls back when it is refused. */
export function watchAccess(
  deps: CallerDeps,
  request: FastifyRequest,
  onRefused: () => void,
): NodeJS.Timeout {
  const { route } = request.routeOptions.config;
  const look = async () => {
    if (route) await admitCaller(deps, route.access, request);
  };
  return setInterval(() => look().catch(onRefused), accessIntervalMs).unref();
}
