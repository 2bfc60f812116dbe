/** Looks again and again whether whoever reads a stream still may. */
import type { FastifyRequest } from 'fastify';
import { admitCaller, type CallerDeps } from './callers.ts';

const accessIntervalMs = 700; // a revoked token reads nothing for longer than a second (CONTRACT.md, 2)

/** A stream outlives what a token or a session is worth, unless somebody looks. */
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
