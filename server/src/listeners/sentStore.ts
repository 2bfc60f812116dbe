/** Stores what listeners were sent, in the name of the token in their setting. */
import type { AccessDirectory } from '../domain/identity/access.ts';
import { usualDataset } from '../domain/logs/datasetRules.ts';
import { admitToken } from '../http/authentication.ts';
import { ingestSent, type SentDeps } from '../intake/protocol/ingest.ts';

/** Resolves once the entries of the body are stored, to what its protocol shows of it. */
export type StoreSent = (body: Buffer, said: { protocol: string; said: object }) => Promise<unknown>;

export type SentStoreDeps = SentDeps & { access: AccessDirectory };

/** The token is judged each time: it may be revoked while the listener runs, or made later. */
export function openSentStore(deps: SentStoreDeps, token: string): StoreSent {
  return async (body, said) => {
    const { project, scopes } = await admitToken(deps.access, { kinds: ['logs'], action: 'write' }, token);
    const [only, ...others] = scopes.datasets ?? [];
    const dataset = only !== undefined && others.length === 0 ? only : usualDataset;
    const request = { project: project.slug, dataset, body, idempotencyKey: null, datasets: scopes.datasets };
    return ingestSent(deps, request, said);
  };
}
