/** Stores upload links as rows. */
import type { UploadLinks } from '@tapedeck/domain/ports/uploadLinks';
import type { Queries } from './schema.ts';
import { uploadLinks } from './tables/files.ts';

export function buildUploadLinks(queries: Queries): UploadLinks {
  return {
    insert: async link => {
      await queries.insertInto('upload_links').values(uploadLinks.compose(link)).execute();
    },
    listNewest: async ({ project, makerId }, limit) => {
      const query = queries.selectFrom('upload_links').selectAll().where('project', '=', project);
      const rows = query.where('maker_id', '=', makerId).orderBy('created_at', 'desc').orderBy('id', 'desc');
      return (await rows.limit(limit).execute()).map(uploadLinks.parse);
    },
    forgetExpired: async before => {
      await queries.deleteFrom('upload_links').where('expires_at', '<', before).execute();
    },
  };
}
