/** Stores second factors and recovery codes as rows. */
import type { SecondFactorRecords } from '@tapedeck/domain/ports/identity';
import type { Queries } from '../schema.ts';
import { secondFactors } from '../tables/people.ts';
import { deleteRow } from '../writeOutcomes.ts';

const stepsAheadMax = 120; // of half a minute: clocks of nodes differ by less

export function buildSecondFactorRecords(queries: Queries): SecondFactorRecords {
  return {
    put: async factor => {
      await queries
        .insertInto('second_factors')
        .values(secondFactors.compose(factor))
        .onConflict(conflict => conflict.column('user_id').doUpdateSet(secondFactors.excluded))
        .execute();
    },
    find: async userId => {
      const query = queries.selectFrom('second_factors').selectAll().where('user_id', '=', userId);
      return secondFactors.parseFound(await query.executeTakeFirst());
    },
    remove: async userId => {
      await queries.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
      return deleteRow(queries.deleteFrom('second_factors').where('user_id', '=', userId));
    },
    consumeStep: async (userId, step) => {
      const result = await queries
        .updateTable('second_factors')
        .set({ last_step: step })
        .where('user_id', '=', userId)
        .where(is => is.or([is('last_step', '<', step), is('last_step', '>', step + stepsAheadMax)]))
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

type CodeCalls = 'replaceRecoveryCodes' | 'consumeRecoveryCode' | 'countRecoveryCodes';

function buildRecoveryCodes(queries: Queries): Pick<SecondFactorRecords, CodeCalls> {
  return {
    replaceRecoveryCodes: async (userId, hashes) => {
      await queries.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
      const rows = hashes.map(hash => ({ user_id: userId, hash }));
      if (rows.length > 0) await queries.insertInto('recovery_codes').values(rows).execute();
    },
    consumeRecoveryCode: (userId, hash) =>
      deleteRow(queries.deleteFrom('recovery_codes').where('user_id', '=', userId).where('hash', '=', hash)),
    countRecoveryCodes: async userId => {
      const query = queries
        .selectFrom('recovery_codes')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('user_id', '=', userId);
      return (await query.executeTakeFirstOrThrow()).count;
    },
  };
}
