/** Handles the token routes. */
import * as contract from '../../contract/tokens.ts';
import type { AccessDirectory } from '../../domain/identity/access.ts';
import * as tokens from '../../domain/identity/tokens.ts';
import { readInstantMs } from '../../domain/instants.ts';
import type { ManagementDeps } from '../../domain/projects/auditedChanges.ts';
import { passExpected } from '../../vocabulary.ts';
import { type HandledRoute, handle, ok } from '../routing.ts';
import { writeToken } from './records.ts';

export function handleTokens(deps: ManagementDeps & { access: AccessDirectory }): HandledRoute[] {
  return [
    handle(contract.describeToken, async ({ caller: { tokenKind: kind, project, name, scopes } }) => ({
      ...ok,
      data: { kind, project: project.slug, name, scopes: [...scopes.words] },
    })),
    handle(contract.listTokens, async ({ params }) => {
      await deps.access.flushUses().catch(passExpected);
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
    handle(contract.revokeToken, async ({ params, caller }) => {
      await tokens.revokeToken(deps, caller, { id: params.token, project: params.project });
      return ok;
    }),
  ];
}
