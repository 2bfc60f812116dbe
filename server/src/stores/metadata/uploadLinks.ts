/** Upload links as rows. */
import type { UploadLink, UploadLinks } from '../../domain/ports/uploadLinks.ts';
import type { Queries, UploadLinkRow } from './schema.ts';

export function buildUploadLinks(queries: Queries): UploadLinks {
  return {
    insert: async link => {
      await queries.insertInto('upload_links').values(composeRow(link)).execute();
    },
    listNewest: async ({ project, makerId }, limit) => {
      const query = queries.selectFrom('upload_links').selectAll().where('project', '=', project);
      const rows = query.where('maker_id', '=', makerId).orderBy('created_at', 'desc').orderBy('id', 'desc');
      return (await rows.limit(limit).execute()).map(parseLink);
    },
    forgetExpired: async before => {
      await queries.deleteFrom('upload_links').where('expires_at', '<', before).execute();
    },
  };
}

function composeRow({ makerId, usesMax, createdAt, expiresAt, ...link }: UploadLink): UploadLinkRow {
  return { ...link, maker_id: makerId, uses_max: usesMax, created_at: createdAt, expires_at: expiresAt };
}

function parseLink({ maker_id, uses_max, created_at, expires_at, ...link }: UploadLinkRow): UploadLink {
  return { ...link, makerId: maker_id, usesMax: uses_max, createdAt: created_at, expiresAt: expires_at };
}
