/** Second factors and recovery codes as rows. */
import type { SecondFactor, SecondFactorRecords } from '../../../domain/ports/identity.ts';
import type { Queries, SecondFactorRow } from '../schema.ts';

export function buildSecondFactorRecords(queries: Queries): SecondFactorRecords {
  return {
    put: async factor => {
      const { user_id, ...values } = composeRow(factor);
      await queries
        .insertInto('second_factors')
        .values({ user_id, ...values })
        .onConflict(conflict => conflict.column('user_id').doUpdateSet(values))
        .execute();
    },
    find: async userId => {
      const query = queries.selectFrom('second_factors').selectAll().where('user_id', '=', userId);
      const row = await query.executeTakeFirst();
      return row === undefined ? null : parseFactor(row);
    },
    remove: async userId => {
      await queries.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
      const removal = queries.deleteFrom('second_factors').where('user_id', '=', userId);
      return (await removal.executeTakeFirst()).numDeletedRows > 0n;
    },
    takeStep: async (userId, step) => {
      const result = await queries
        .updateTable('second_factors')
        .set({ last_step: step })
        .where('user_id', '=', userId)
        .where('last_step', '<', step)
        .executeTakeFirst();
      return result.numUpdatedRows > 0n;
    },
    listUserIds: async () => {
      const rows = await queries.selectFrom('second_factors').select('user_id').orderBy('user_id').execute();
      return rows.map(row => row.user_id);
    },
    ...buildRecoveryCodes(queries),
  };
}

type CodeCalls = 'replaceRecoveryCodes' | 'takeRecoveryCode' | 'countRecoveryCodes';

function buildRecoveryCodes(queries: Queries): Pick<SecondFactorRecords, CodeCalls> {
  return {
    replaceRecoveryCodes: async (userId, hashes) => {
      await queries.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
      const rows = hashes.map(hash => ({ user_id: userId, hash }));
      if (rows.length > 0) await queries.insertInto('recovery_codes').values(rows).execute();
    },
    takeRecoveryCode: async (userId, hash) => {
      const removal = queries.deleteFrom('recovery_codes').where('user_id', '=', userId);
      return (await removal.where('hash', '=', hash).executeTakeFirst()).numDeletedRows > 0n;
    },
    countRecoveryCodes: async userId => {
      const query = queries
        .selectFrom('recovery_codes')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('user_id', '=', userId);
      return (await query.executeTakeFirstOrThrow()).count;
    },
  };
}

function composeRow({ userId, secret, createdAt, lastStep }: SecondFactor): SecondFactorRow {
  return { user_id: userId, secret, created_at: createdAt, last_step: lastStep };
}

function parseFactor(row: SecondFactorRow): SecondFactor {
  return { userId: row.user_id, secret: row.secret, createdAt: row.created_at, lastStep: row.last_step };
}
