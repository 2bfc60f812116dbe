/** The door for clients of Fivemerr, a service for game servers: its uploads, and its logs, which come in by OpenTelemetry's path. */
import { usualLineNames } from '@tapedeck/log-protocols';
import type { FastifyRequest } from 'fastify';
import { makeFileUrls } from '../../domain/files/naming.ts';
import { permitByBoth, permitByScopes, permitType } from '../../domain/files/permissions.ts';
import type { TokenPrincipal } from '../../domain/identity/principals.ts';
import { format } from '../../intake/lines/linesFormat.worker.ts';
import type { SentDeps } from '../../intake/protocol/ingest.ts';
import { type FileDeps, upload } from '../handlers/files.ts';
import { type HandledRoute, handle, ok, type SpellFailure } from '../routing.ts';
import { fivemerrUploads } from './contract.ts';
import { takeBytes } from './requests.ts';

const forms = [
  'multipart/form-data',
  'application/json',
  'application/x-www-form-urlencoded',
  'text/plain',
] as const;
const fileNames = ['file', 'data'] as const;

export function handleFivemerr(deps: FileDeps): HandledRoute[] {
  return fivemerrUploads.map(({ type, route }) => {
    const handled = handle(route, async ({ caller, request }) => {
      const { project, scopes } = caller;
      const file = await upload(deps, request, {
        options: { forms, partNames: [...fileNames, type], base64Names: fileNames },
        project,
        permission: permitByBoth(permitType(type), permitByScopes(scopes)),
      });
      return { url: makeFileUrls(deps, project, file).url, id: file.id };
    });
    return { ...handled, spellFailure: spellFivemerrFailure };
  });
}

/** Requests that were found to bring its logs. */
const taken = new WeakSet<FastifyRequest>();

export function wasTakenAsFivemerr(request: FastifyRequest): boolean {
  return taken.has(request);
}

type LogsCall = { request: FastifyRequest; caller: TokenPrincipal };

export async function takeFivemerrLogs(deps: SentDeps, call: LogsCall, bytes: Buffer): Promise<typeof ok> {
  taken.add(call.request);
  await takeBytes(deps, call, { format, options: { names: usualLineNames, isWhole: true }, bytes });
  return ok;
}

/** Scripts look for `success`, and show people the sentence under either name. */
export const spellFivemerrFailure: SpellFailure = ({ body }) =>
  JSON.stringify({ success: false, message: body.error, ...body });
