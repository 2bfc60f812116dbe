/** Adds the time that lists show for a file whose upload's clock was behind that of an earlier upload. */
import { sql } from 'kysely';
import type { MetadataMigration, Queries } from '../schema.ts';

export const listedTimes: MetadataMigration = {
  version: 14,
  name: 'listed times',
  apply: async (queries, { integer }) => {
    await queries.schema.alterTable('files').addColumn('listed_at', integer).execute();
  },
  fill: fillListedTimes,
};

/** Fills the times of an older version's files. */
export async function fillListedTimes(queries: Queries): Promise<void> {
  await sql`update files set listed_at = ahead.latest from (
      select id, created_at, max(created_at) over (partition by project order by position) as latest from files
    ) as ahead
    where ahead.id = files.id and ahead.latest > ahead.created_at`.execute(queries);
}
