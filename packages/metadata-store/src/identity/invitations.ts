/** Stores invitations as rows. */

import type { Invitation, InvitationRecords } from '@tapedeck/domain/ports/identity';
import type { RowOf } from '@tapedeck/metadata-database';
import type { Queries } from '../schema.ts';
import { invitations } from '../tables/people.ts';

export function buildInvitationRecords(queries: Queries): InvitationRecords {
  const select = () => queries.selectFrom('invitations').selectAll();
  return {
    insert: async invitation => {
      await queries.insertInto('invitations').values(composeRow(invitation)).execute();
    },
    update: async ({ id, used, revokedAt }) => {
      const end = { used_at: used?.at ?? null, used_by: used?.userId ?? null, revoked_at: revokedAt };
      await queries.updateTable('invitations').set(end).where('id', '=', id).execute();
    },
    find: async id => parseFound(await select().where('id', '=', id).executeTakeFirst()),
    findByHash: async hash => parseFound(await select().where('hash', '=', hash).executeTakeFirst()),
    list: async project => {
      const open = select().where('revoked_at', 'is', null);
      const found =
        project === null ? open.where('project', 'is', null) : open.where('project', '=', project);
      const rows = await found.orderBy('created_at', 'desc').orderBy('id').execute();
      return rows.map(parseInvitation);
    },
    removeExpired: async before => {
      await queries.deleteFrom('invitations').where('expires_at', '<', before).execute();
    },
  };
}

function composeRow({ place, maker, used, ...invitation }: Invitation) {
  return invitations.compose({
    ...invitation,
    project: place?.project ?? null,
    role: place?.role ?? null,
    makerKind: maker.kind,
    makerId: maker.id,
    usedAt: used?.at ?? null,
    usedBy: used?.userId ?? null,
  });
}

type InvitationRow = RowOf<typeof invitations>;

function parseFound(row: InvitationRow | undefined): Invitation | null {
  return row === undefined ? null : parseInvitation(row);
}

function parseInvitation(row: InvitationRow): Invitation {
  const { project, role, makerKind, makerId, usedAt, usedBy, ...invitation } = invitations.parse(row);
  return {
    ...invitation,
    place: project === null || role === null ? null : { project, role },
    maker: { kind: makerKind, id: makerId },
    used: usedAt === null || usedBy === null ? null : { at: usedAt, userId: usedBy },
  };
}
