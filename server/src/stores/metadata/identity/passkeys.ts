/** Passkeys as rows. */
import type { Passkey, PasskeyRecords } from '../../../domain/ports/identity.ts';
import { ServiceError } from '../../../vocabulary.ts';
import type { PasskeyRow, Queries } from '../schema.ts';

export function buildPasskeyRecords(queries: Queries): PasskeyRecords {
  const select = () => queries.selectFrom('passkeys').selectAll();
  return {
    insert: async passkey => {
      const result = await queries
        .insertInto('passkeys')
        .values(composeRow(passkey))
        .onConflict(conflict => conflict.column('id').doNothing())
        .executeTakeFirst();
      if (result.numInsertedOrUpdatedRows === 0n)
        throw new ServiceError('name_taken', 'This passkey is registered already.');
    },
    find: async id => {
      const row = await select().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : parsePasskey(row);
    },
    listOfUser: async userId => {
      const found = select().where('user_id', '=', userId).orderBy('created_at').orderBy('id');
      return (await found.execute()).map(parsePasskey);
    },
    recordUse: async (id, { counter, usedAt }) => {
      await queries
        .updateTable('passkeys')
        .set({ counter, last_used_at: usedAt })
        .where('id', '=', id)
        .execute();
    },
    remove: async (userId, id) => {
      const removal = queries.deleteFrom('passkeys').where('user_id', '=', userId).where('id', '=', id);
      return (await removal.executeTakeFirst()).numDeletedRows > 0n;
    },
  };
}

function composeRow(passkey: Passkey): PasskeyRow {
  const { id, userId, name, publicKey, counter, transports, createdAt, lastUsedAt } = passkey;
  return {
    ...{ id, name, counter, user_id: userId, public_key: publicKey, transports: JSON.stringify(transports) },
    ...{ created_at: createdAt, last_used_at: lastUsedAt },
  };
}

function parsePasskey(row: PasskeyRow): Passkey {
  return {
    ...{ id: row.id, userId: row.user_id, name: row.name, publicKey: row.public_key, counter: row.counter },
    transports: JSON.parse(row.transports) as string[], // as it was written above
    ...{ createdAt: row.created_at, lastUsedAt: row.last_used_at },
  };
}
