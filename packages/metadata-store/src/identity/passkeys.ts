/** Stores passkeys as rows. */
import type { PasskeyRecords } from '@tapedeck/domain/ports/identity';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import type { Queries } from '../schema.ts';
import { passkeys } from '../tables/people.ts';
import { deleteRow } from '../writeOutcomes.ts';

export function buildPasskeyRecords(queries: Queries): PasskeyRecords {
  const select = () => queries.selectFrom('passkeys').selectAll();
  return {
    insert: async passkey => {
      const result = await queries
        .insertInto('passkeys')
        .values(passkeys.compose(passkey))
        .onConflict(conflict => conflict.column('id').doNothing())
        .executeTakeFirst();
      if (result.numInsertedOrUpdatedRows === 0n)
        throw new ServiceError('name_taken', 'This passkey is already registered.');
    },
    find: async id => {
      return passkeys.parseFound(await select().where('id', '=', id).executeTakeFirst());
    },
    listOfUser: async userId => {
      const found = select().where('user_id', '=', userId).orderBy('created_at').orderBy('id');
      return (await found.execute()).map(passkeys.parse);
    },
    recordUse: async (id, { counter, usedAt }) => {
      await queries
        .updateTable('passkeys')
        .set({ counter, last_used_at: usedAt })
        .where('id', '=', id)
        .execute();
    },
    remove: (userId, id) =>
      deleteRow(queries.deleteFrom('passkeys').where('user_id', '=', userId).where('id', '=', id)),
  };
}
