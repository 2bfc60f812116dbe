/** Handles the routes of reporting sessions. */

import type { QueryOf } from '@tapedeck/contract/route';
import * as contract from '@tapedeck/contract/sdk';
import type { AccessDirectory } from '@tapedeck/domain/identity/access';
import type { TokenPrincipal } from '@tapedeck/domain/identity/principals';
import type { SdkIdentity, SdkSession } from '@tapedeck/domain/ports/sdkSessions';
import type { ManagementDeps } from '@tapedeck/domain/projects/auditedChanges';
import {
  type GameServerDeps,
  readServerReport,
  runServerAction,
} from '@tapedeck/domain/projects/gameServers';
import {
  endLiveSession,
  endSession,
  extendSession,
  listSessions,
  type ReportDeps,
  reportSession,
} from '@tapedeck/domain/projects/sdkSessions';
import { invalidFieldError, ServiceError } from '@tapedeck/domain/vocabulary';
import { readSdkType } from '../fieldAliases.ts';
import { jsonType } from '../responseHeaders.ts';
import { type HandledRoute, handle, ok } from '../routing.ts';
import { writeInstant } from './jsonRecords.ts';

type IdentityQuery = QueryOf<typeof contract.reportSession>;

export type SdkRouteDeps = ReportDeps &
  GameServerDeps &
  ManagementDeps & { access: Pick<AccessDirectory, 'findToken'> };

export function handleSdk(deps: SdkRouteDeps): HandledRoute[] {
  return [
    handle(contract.reportSession, async ({ caller, query }) => {
      const { session, token, isNew } = await reportSession(deps, caller, readIdentity(query));
      const message = isNew ? 'SDK token created' : 'Existing SDK token refreshed';
      return { expiresAt: writeSeconds(session.expiresAt), message, token };
    }),
    handle(contract.extendSession, async ({ caller, query }) => ({
      ...ok,
      expiresAt: writeSeconds(await extendSession(deps, caller, readExtended(caller, query))),
    })),
    handle(contract.invalidateSession, async ({ caller, query, reply }) => {
      await endSession(deps, caller, readOthersIdentity(caller, query));
      reply.type(jsonType).serializer(JSON.stringify);
      return 'SDK resource invalidated.';
    }),
    handle(contract.listSessions, async ({ params }) => {
      const { living, quiet } = await listSessions(deps, params.project);
      const write = (session: SdkSession) => writeSession(session, deps.access);
      return { sessions: living.map(write), quiet: quiet.map(write) };
    }),
    handle(contract.getServerReport, ({ params }) =>
      readServerReport(deps, { id: params.session, project: params.project }),
    ),
    handle(contract.runServerAction, ({ params, body, caller }) => {
      const { session: id, project, action } = params;
      return runServerAction(deps, caller, { id, project, action, fields: body.fields ?? {} });
    }),
    handle(contract.endSession, async ({ params, caller }) => {
      await endLiveSession(deps, caller, { id: params.session, project: params.project });
      return ok;
    }),
  ];
}

/** Throws if an API token comes without any identity: the client meant to send the SDK token. */
function readExtended(caller: TokenPrincipal, query: IdentityQuery): SdkIdentity | null {
  if (caller.tokenKind === 'sdk' || Object.keys(query).length > 0) return readOthersIdentity(caller, query);
  const sentence = 'Send the SDK token, or name the session in the query as when it was reported.';
  throw new ServiceError('wrong_token_kind', sentence);
}

/** Returns null for an SDK token, which belongs to one session; an API token must name the session's identity. */
function readOthersIdentity({ tokenKind }: TokenPrincipal, query: IdentityQuery): SdkIdentity | null {
  return tokenKind === 'sdk' ? null : readIdentity(guessType(query));
}

/** Throws an error that names the missing or unknown parameter. */
function readIdentity(query: IdentityQuery): SdkIdentity {
  const word = query.sdkType ?? query.type;
  const sdkType = word === undefined ? null : readSdkType(word);
  if (sdkType === null) {
    throw invalidFieldError('sdkType', 'sdkType must be server_a or server_b.');
  }
  if (sdkType === 'server_a') {
    const endpoint = requireText('endpoint', query.endpoint);
    return {
      sdkType,
      endpoint,
      resourceName: requireText('resourceName', query.resourceName ?? query.resource),
    };
  }
  return {
    sdkType,
    universeId: requireText('universeId', query.universeId),
    jobId: requireText('jobId', query.jobId),
  };
}

/** Completes a query without `sdkType`, which clients leave out when they keep or end a session. */
function guessType(query: IdentityQuery): IdentityQuery {
  if (query.sdkType !== undefined || query.type !== undefined) return query;
  return {
    ...query,
    sdkType: query.universeId !== undefined || query.jobId !== undefined ? 'server_b' : 'server_a',
  };
}

function requireText(name: string, value: string | undefined): string {
  if (value) return value;
  throw invalidFieldError(name, `${name} is missing; name it in the query.`);
}

function writeSession(session: SdkSession, access: Pick<AccessDirectory, 'findToken'>) {
  const { id, identity, tokenIds, createdAt, refreshedAt, expiresAt } = session;
  const openedBy = tokenIds
    .map(tokenId => access.findToken(tokenId))
    .filter(token => token !== null)
    .map(({ prefix, name, kind }) => ({ prefix, name, kind }));
  const times = {
    createdAt: writeInstant(createdAt),
    refreshedAt: writeInstant(refreshedAt),
    expiresAt: writeInstant(expiresAt),
  };
  return { id, ...identity, openedBy, ...times };
}

function writeSeconds(at: number): string {
  return writeInstant(at).replace(/\.\d+Z$/, 'Z');
}
