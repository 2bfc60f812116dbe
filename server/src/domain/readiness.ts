/** What can be done at present: each role as far as the stores answer that it cannot do without. */
import { type ServiceRole, serviceRoles } from '../vocabulary.ts';
import type { AccessDirectory } from './access.ts';
import type { StoreName, StoreState, StoreWatch } from './storeWatch.ts';

export type ReadinessDeps = { watch: StoreWatch; access: Pick<AccessDirectory, 'isTrusted'> };

export type Readiness = { stores: readonly StoreState[]; failing: ReadonlySet<ServiceRole> };

/** Entries wait in the journal for an engine that is away; public files are read without the database. */
const needs: Readonly<Record<ServiceRole, { stores: readonly StoreName[]; hasTokens: boolean }>> = {
  intake: { stores: [], hasTokens: true },
  query: { stores: ['logs'], hasTokens: true },
  media: { stores: ['blobs'], hasTokens: false },
};

/** Asks every store now. */
export async function findReadiness({ watch, access }: ReadinessDeps): Promise<Readiness> {
  const stores = await watch.look();
  const failing = serviceRoles.filter(role => {
    const { stores: needed, hasTokens } = needs[role];
    return needed.some(name => watch.isAway(name)) || (hasTokens && !access.isTrusted);
  });
  return { stores, failing: new Set(failing) };
}
