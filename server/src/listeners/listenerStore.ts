/** Stores what listeners receive, in the name of the token in their setting. */
import type { AccessDirectory } from '@tapedeck/domain/identity/access';
import { usualDataset } from '@tapedeck/domain/logs/datasetRules';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import { admitToken } from '../http/authentication.ts';
import { ingestSent, type SentDeps } from '../intake/protocol/ingest.ts';

type Said = { protocol: string; said: object };

/** Resolves once the entries of the body are stored, to what the protocol shows of them. Stores bodies with the same key once. */
export type StoreSent = (body: Buffer, said: Said, key?: string | null) => Promise<unknown>;

export type SentStoreDeps = SentDeps & { access: AccessDirectory };

/** Checks the token each time, because it may be revoked, or created, while the listener runs. */
export function openSentStore(deps: SentStoreDeps, token: string): StoreSent {
  return async (body, { protocol, said }, key = null) => {
    const { id, project, scopes } = await admitToken(
      deps.access,
      { kinds: ['logs'], action: 'write' },
      token,
    );
    const [only, ...others] = scopes.datasets ?? [];
    const dataset = only !== undefined && others.length === 0 ? only : usualDataset;
    const { datasets } = scopes;
    const sent = { project: project.slug, dataset, body, idempotencyKey: null, datasets, files: null };
    const spelling = { protocol, describe: () => said };
    if (key === null) return ingestSent(deps, sent, spelling);
    try {
      const idempotencyKey = { tokenId: id, route: protocol, key };
      return await ingestSent(deps, { ...sent, idempotencyKey }, spelling);
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'idempotency_key_reused') throw error;
      return ingestSent(deps, sent, spelling); // some senders give everything the same name
    }
  };
}
