/** Answers the routes by which machines ask after the service. */
import type { FastifyRequest } from 'fastify';
import * as contract from '../../contract/system.ts';
import { ServiceError } from '../../vocabulary.ts';
import { type CallerDeps, readAuthorization } from '../callers.ts';
import type { Metrics } from '../metrics.ts';
import { type HandledRoute, handle, ok } from '../registry.ts';

/** A store and how to ask whether it answers. */
export type Check = { name: string; ping(): Promise<void> };
export type SystemDeps = CallerDeps & { checks: readonly Check[]; metrics: Metrics };

/** Headers in which a proxy names the client that it speaks for. */
const proxyHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'];
const checkTimeMsMax = 5_000; // a probe that waits longer has its answer

export function handleSystem(deps: SystemDeps): HandledRoute[] {
  return [
    handle(contract.getHealth, async () => ok),
    handle(contract.getReadiness, async () => {
      const checks = await runChecks(deps.checks);
      const failing = Object.keys(checks).filter(name => checks[name] === 'failing');
      if (failing.length === 0) return { ...ok, checks };
      throw new ServiceError('not_ready', `Not ready: ${failing.join(', ')} does not answer.`, {
        retryAfterSeconds: 1,
      });
    }),
    handle(contract.getMetrics, async ({ request, reply }) => {
      if (!isFromThisMachine(request)) await requireAdminToken(deps, request);
      reply.type(deps.metrics.contentType);
      return deps.metrics.print();
    }),
  ];
}

async function runChecks(checks: readonly Check[]): Promise<Record<string, 'ok' | 'failing'>> {
  const results = await Promise.all(
    checks.map(async ({ name, ping }) => {
      const late = new Promise<'failing'>(resolve => {
        setTimeout(resolve, checkTimeMsMax, 'failing').unref();
      });
      const result = await Promise.race([ping().then(() => 'ok' as const), late]).catch(
        () => 'failing' as const,
      );
      return [name, result] as const;
    }),
  );
  return Object.fromEntries(results);
}

/** A request that a proxy on this machine hands on is not from this machine. */
function isFromThisMachine({ raw, headers }: FastifyRequest): boolean {
  const address = raw.socket.remoteAddress ?? '';
  const isLoopback = /^(?:::ffff:)?127\./.test(address) || address === '::1';
  return isLoopback && proxyHeaders.every(name => headers[name] === undefined);
}

async function requireAdminToken(deps: CallerDeps, request: FastifyRequest): Promise<void> {
  const text = readAuthorization(request);
  if (text === null) {
    throw new ServiceError(
      'token_missing',
      'From other machines, send an admin token in the Authorization header.',
    );
  }
  const { tokenKind } = await deps.access.authenticate(text);
  if (tokenKind === 'admin') return;
  throw new ServiceError(
    'wrong_token_kind',
    `Metrics want a token of the kind admin; this one is of the kind ${tokenKind}.`,
  );
}
