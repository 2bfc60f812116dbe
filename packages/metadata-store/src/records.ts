/** Builds a transaction's record sets, each on first use, because most transactions need one or two. */
import type { Records } from '@tapedeck/domain/ports/metadata';
import { buildChannelRecords } from './alerting/channels.ts';
import { buildDeliveryRecords, buildNotificationRecords } from './alerting/deliveries.ts';
import { buildOutboxRecords } from './alerting/outbox.ts';
import { buildRuleMemories, buildRuleRecords } from './alerting/rules.ts';
import { buildAuditRecords } from './audit.ts';
import { buildFolderMoveRecords } from './files/folderMoves.ts';
import { buildIdentityRecords, buildSpentTickets } from './identity/identities.ts';
import { buildInvitationRecords } from './identity/invitations.ts';
import { buildPasskeyRecords } from './identity/passkeys.ts';
import { buildSecondFactorRecords } from './identity/secondFactors.ts';
import { buildInstallationFacts } from './installation.ts';
import { buildIssueDecisions } from './issues.ts';
import { buildLeaseRecords } from './leases.ts';
import { buildLogDeletions } from './logDeletions.ts';
import { buildLogViewRecords } from './logViews.ts';
import { buildMembershipRecords } from './memberships.ts';
import { buildNodeRecords } from './nodes.ts';
import { buildProjectRecords } from './projects.ts';
import type { Revision } from './revision.ts';
import type { MetadataDatabase, Queries } from './schema.ts';
import { buildSignInRecords } from './signIns.ts';
import { buildStorageDays } from './storageDays.ts';
import { buildSubjectNotes } from './subjectNotes.ts';
import { buildTokenRecords } from './tokens.ts';
import { buildUploadLinks } from './uploadLinks.ts';
import { buildUserRecords } from './users.ts';

type Transaction = { queries: Queries; revision: Revision; dialect: MetadataDatabase['dialect'] };

const builders: { readonly [Name in keyof Records]: (transaction: Transaction) => Records[Name] } = {
  projects: ({ queries, revision }) => buildProjectRecords(queries, revision),
  tokens: ({ queries, revision }) => buildTokenRecords(queries, revision),
  users: ({ queries }) => buildUserRecords(queries),
  memberships: ({ queries }) => buildMembershipRecords(queries),
  signIns: ({ queries }) => buildSignInRecords(queries),
  audit: ({ queries }) => buildAuditRecords(queries),
  leases: ({ queries }) => buildLeaseRecords(queries),
  issues: ({ queries }) => buildIssueDecisions(queries),
  subjectNotes: ({ queries }) => buildSubjectNotes(queries),
  uploadLinks: ({ queries }) => buildUploadLinks(queries),
  folderMoves: ({ queries }) => buildFolderMoveRecords(queries),
  logViews: ({ queries }) => buildLogViewRecords(queries),
  installation: ({ queries }) => buildInstallationFacts(queries),
  logDeletions: ({ queries, dialect }) => buildLogDeletions(queries, dialect),
  channels: ({ queries }) => buildChannelRecords(queries),
  rules: ({ queries }) => buildRuleRecords(queries),
  watches: ({ queries }) => buildRuleMemories(queries),
  deliveries: ({ queries }) => buildDeliveryRecords(queries),
  outbox: ({ queries }) => buildOutboxRecords(queries),
  notifications: ({ queries }) => buildNotificationRecords(queries),
  invitations: ({ queries }) => buildInvitationRecords(queries),
  secondFactors: ({ queries }) => buildSecondFactorRecords(queries),
  passkeys: ({ queries }) => buildPasskeyRecords(queries),
  identities: ({ queries }) => buildIdentityRecords(queries),
  spentTickets: ({ queries }) => buildSpentTickets(queries),
  storageDays: ({ queries }) => buildStorageDays(queries),
  nodes: ({ queries }) => buildNodeRecords(queries),
};

/** Holds the getters that all transactions share. Each getter replaces itself with what it built. */
const unbuilt = {};
for (const [name, build] of Object.entries(builders)) {
  Object.defineProperty(unbuilt, name, {
    get(this: { transaction: Transaction }) {
      const value: unknown = build(this.transaction);
      Object.defineProperty(this, name, { value });
      return value;
    },
  });
}

export function buildRecords({ dialect }: MetadataDatabase, queries: Queries, revision: Revision): Records {
  const transaction: Transaction = { queries, revision, dialect };
  return Object.create(unbuilt, { transaction: { value: transaction } }) as Records; // has a getter for each builder
}
