/** Decides which roles are ready, based on the stores each of them needs. */

import type { AccessDirectory } from '../identity/access.ts';
import { type ServiceRole, serviceRoles } from '../vocabulary.ts';
import { type DiskWatch, findDiskProblem } from './diskWatch.ts';
import type { StoreHealth, StoreName, StoreState } from './storeHealth.ts';

/** The journal: acknowledged entries that queries do not find yet. */
type JournalState = {
  /** True if the journal is in the bucket and the database lists its waiting segments. */
  isShared: boolean;
  /** Says why it accepts nothing at present, as a sentence for the operator; null: it does. */
  findProblem(): string | null;
};

export type ReadinessDeps = {
  watch: StoreHealth;
  access: Pick<AccessDirectory, 'isTrusted'>;
  journal: JournalState;
  disks: Pick<DiskWatch, 'states'>;
  /** Says that acknowledged entries are missing, and what to do; null: none are known to be. The service still serves the rest. */
  findLogLoss(): string | null;
};

/** `reasons`: sentences for the operator. */
export type Readiness = {
  stores: readonly StoreState[];
  failing: ReadonlySet<ServiceRole>;
  reasons: readonly string[];
};

type Needs = Readonly<Record<ServiceRole, readonly StoreName[]>>;

/** The journal buffers entries while the log store is away; public files need no database. */
const needs: Needs = { intake: [], query: ['logs'], media: ['blobs'] };
const needsOfShared: Needs = { ...needs, intake: ['blobs'], query: ['logs', 'database'] };

/** Checks every store now. */
export async function findReadiness(deps: ReadinessDeps): Promise<Readiness> {
  const { watch, access, journal, disks } = deps;
  const stores = await watch.look();
  const fullDisk = findDiskProblem(disks);
  // A journal in the bucket needs no local disk space.
  const trouble = journal.findProblem() ?? (journal.isShared ? null : fullDisk);
  const failing = serviceRoles.filter(role => {
    const needed = (journal.isShared ? needsOfShared : needs)[role];
    const lacksTokens = role !== 'media' && !access.isTrusted;
    // The role `media` promises that files can be read, also from a bucket that is full.
    const lacks = (name: StoreName) =>
      role === 'media' ? watch.isUnreadable(name) : watch.isUnavailable(name);
    return lacksTokens || (role === 'intake' && trouble !== null) || needed.some(lacks);
  });
  const reasons = [
    ...new Set([...stores.map(({ reason }) => reason), trouble, fullDisk, deps.findLogLoss()]),
  ].filter(reason => reason !== null);
  return { stores, failing: new Set(failing), reasons };
}
