/** Invitations as rows. */
import type { Invitation, InvitationRecords } from '../../../domain/ports/identity.ts';
import type { InvitationRow, Queries } from '../schema.ts';

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

function composeRow({ place, maker, used, ...invitation }: Invitation): InvitationRow {
  return {
    id: invitation.id,
    hash: invitation.hash,
    project: place?.project ?? null,
    role: place?.role ?? null,
    email: invitation.email,
    maker_kind: maker.kind,
    maker_id: maker.id,
    created_at: invitation.createdAt,
    created_by: invitation.createdBy,
    expires_at: invitation.expiresAt,
    used_at: used?.at ?? null,
    used_by: used?.userId ?? null,
    revoked_at: invitation.revokedAt,
  };
}

function parseFound(row: InvitationRow | undefined): Invitation | null {
  return row === undefined ? null : parseInvitation(row);
}

function parseInvitation(row: InvitationRow): Invitation {
  const { project, role, used_at: usedAt, used_by: usedBy } = row;
  return {
    id: row.id,
    hash: row.hash,
    place: project === null || role === null ? null : { project, role },
    email: row.email,
    maker: { kind: row.maker_kind, id: row.maker_id },
    createdAt: row.created_at,
    createdBy: row.created_by,
    expiresAt: row.expires_at,
    used: usedAt === null || usedBy === null ? null : { at: usedAt, userId: usedBy },
    revokedAt: row.revoked_at,
  };
}
