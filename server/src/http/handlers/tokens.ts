/** Handles the token routes. */
import * as contract from '@tapedeck/contract/tokens';
import { parseFolderPath } from '@tapedeck/domain/files/folderPath';
import type { UrlDeps } from '@tapedeck/domain/files/naming';
import type { AccessDirectory } from '@tapedeck/domain/identity/access';
import * as tokens from '@tapedeck/domain/identity/tokens';
import { readInstantMs } from '@tapedeck/domain/instants';
import type { ManagementDeps } from '@tapedeck/domain/projects/auditedChanges';
import { ignoreExpected } from '@tapedeck/domain/vocabulary';
import { type HandledRoute, handle, ok } from '../routing.ts';
import { composeShareXUploader } from '../shareXUploader.ts';
import { writeToken } from './jsonRecords.ts';

type TokenRouteDeps = ManagementDeps & Pick<UrlDeps, 'address'> & { access: AccessDirectory };

export function handleTokens(deps: TokenRouteDeps): HandledRoute[] {
  return [
    handle(contract.describeToken, async ({ caller: { tokenKind: kind, project, name, scopes } }) => ({
      ...ok,
      data: { kind, project: project.slug, name, scopes: [...scopes.words] },
    })),
    handle(contract.listTokens, async ({ params }) => {
      await deps.access.flushUses().catch(ignoreExpected);
      return { tokens: (await tokens.listTokens(deps, params.project)).map(writeToken) };
    }),
    handle(contract.createToken, async ({ params, body, caller }) => {
      const { text, token } = await tokens.createToken(deps, caller, {
        project: params.project,
        kind: body.kind,
        name: body.name ?? '',
        scopes: body.scopes ?? [],
        expiresAt: body.expiresAt ? readInstantMs('expiresAt', body.expiresAt) : null,
      });
      return { token: text, record: writeToken(token) };
    }),
    handle(contract.createShareXUploader, async ({ params, body, caller, reply }) => {
      const path = parseFolderPath(body.path ?? '');
      const { text: token } = await tokens.createToken(deps, caller, {
        project: params.project,
        kind: 'media',
        name: 'ShareX',
        scopes: ['write'],
        expiresAt: null,
      });
      reply.header('content-disposition', `attachment; filename="${params.project}.sxcu"`);
      return composeShareXUploader({ address: deps.address.publicUrl, token, path });
    }),
    handle(contract.revokeToken, async ({ params, caller }) => {
      await tokens.revokeToken(deps, caller, { id: params.token, project: params.project });
      return ok;
    }),
  ];
}
