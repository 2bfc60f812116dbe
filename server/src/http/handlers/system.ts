/** Handles health, readiness, version and metrics. */

import * as contract from '@tapedeck/contract/system';
import { findReadiness, type Readiness, type ReadinessDeps } from '@tapedeck/domain/operations/readiness';
import type { LogBackfill } from '@tapedeck/domain/ports/logs';
import { ServiceError, serviceRoles } from '@tapedeck/domain/vocabulary';
import type { FastifyRequest } from 'fastify';
import { type CallerDeps, readAuthorization } from '../authentication.ts';
import type { Metrics } from '../metrics.ts';
import { type HandledRoute, handle, ok } from '../routing.ts';

export type SystemDeps = CallerDeps &
  ReadinessDeps & {
    logBackfill: Pick<LogBackfill, 'state'>;
    metrics: Metrics;
  };

/** Headers in which a proxy names its client. */
const proxyHeaders = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'];

export function handleSystem(deps: SystemDeps): HandledRoute[] {
  return [
    handle(contract.getHealth, async () => ok),
    handle(contract.getReadiness, async ({ query }) => {
      if (deps.watch.isLeaving) throw leavingError();
      const readiness = await findReadiness(deps);
      const { failing, stores, reasons } = readiness;
      const isReady =
        query.role === undefined ? failing.size < serviceRoles.length : !failing.has(query.role);
      if (!isReady) throw notReadyError(readiness);
      const { state } = deps.logBackfill;
      return {
        ...ok,
        checks: Object.fromEntries(stores.map(({ name, reason }) => [name, nameHealth(reason === null)])),
        roles: Object.fromEntries(serviceRoles.map(role => [role, nameHealth(!failing.has(role))])),
        reasons: [...reasons],
        ...(state && { preparing: state }),
      };
    }),
    handle(contract.getMetrics, async ({ request, reply }) => {
      if (!isFromThisMachine(request)) await requireAdminToken(deps, request);
      reply.type(deps.metrics.contentType);
      return deps.metrics.print();
    }),
  ];
}

function nameHealth(isWell: boolean): 'ok' | 'failing' {
  return isWell ? 'ok' : 'failing';
}

function leavingError(): ServiceError {
  const sentence = 'Not ready: this node is stopping. Ask another one, or try again shortly.';
  return new ServiceError('not_ready', sentence, { retryAfterSeconds: 1 });
}

function notReadyError({ stores, reasons }: Readiness): ServiceError {
  const unavailable = stores.filter(({ reason }) => reason !== null).map(({ name }) => name);
  const names = unavailable.length === 0 ? 'journal' : unavailable.join(', ');
  const sentence = `Not ready: ${names}. ${reasons.join(' ')}`;
  return new ServiceError('not_ready', sentence, { retryAfterSeconds: 1 });
}

/** Treats a request that a proxy on this machine forwards as remote. */
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
    `Metrics need a token of the kind admin; this one is of the kind ${tokenKind}.`,
  );
}
