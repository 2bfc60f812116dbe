/** Answers the routes by which machines ask after the service. */

import type { FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import * as contract from '../../contract/system.ts';
import type { LogBackfill } from '../../domain/ports/logs.ts';
import { type Check, runChecks } from '../../domain/readiness.ts';
import { ServiceError } from '../../vocabulary.ts';
import { type CallerDeps, readAuthorization } from '../callers.ts';
import type { Metrics } from '../metrics.ts';
import { type HandledRoute, handle, ok } from '../registry.ts';

export type SystemDeps = CallerDeps & {
  checks: readonly Check[];
  logBackfill: Pick<LogBackfill, 'state'>;
  metrics: Metrics;
  log: Logger;
};

/** Headers in which a proxy names the client that it speaks for. */
const proxyHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'];

export function handleSystem(deps: SystemDeps): HandledRoute[] {
  let told = ''; // probes come every few seconds
  return [
    handle(contract.getHealth, async () => ok),
    handle(contract.getReadiness, async () => {
      const failures = await runChecks(deps.checks);
      const reason = failures.map(({ sentence }) => sentence).join(' ');
      if (reason !== '' && reason !== told)
        deps.log.warn(
          { reason, err: failures.find(({ error }) => error)?.error },
          'the service is not ready',
        );
      told = reason;
      if (failures.length > 0) {
        const names = failures.map(({ name }) => name).join(', ');
        throw new ServiceError('not_ready', `Not ready: ${names}. ${reason}`, { retryAfterSeconds: 1 });
      }
      const checks = Object.fromEntries(deps.checks.map(({ name }) => [name, 'ok' as const]));
      const { state } = deps.logBackfill;
      return { ...ok, checks, ...(state && { preparing: state }) };
    }),
    handle(contract.getMetrics, async ({ request, reply }) => {
      if (!isFromThisMachine(request)) await requireAdminToken(deps, request);
      reply.type(deps.metrics.contentType);
      return deps.metrics.print();
    }),
  ];
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
