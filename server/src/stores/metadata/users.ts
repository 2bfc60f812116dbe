/** Users of the dashboard as rows. */

import { ConstraintViolation } from '@tapedeck/metadata-database';
import type { User, UserRecords } from '../../domain/ports/metadata.ts';
import { ServiceError } from '../../vocabulary.ts';
import type { Queries, UserRow } from './schema.ts';

export function buildUserRecords(queries: Queries): UserRecords {
  return {
    insert: async user => {
      const result = await queries
        .insertInto('users')
        .values({ id: user.id, created_at: user.createdAt, ...composeRow(user) })
        .onConflict(conflict => conflict.column('email').doNothing())
        .executeTakeFirst();
      if (result.numInsertedOrUpdatedRows === 0n) throw takenError(user);
    },
    update: user => updateUser(queries, user),
    remove: async id => {
      const result = await queries.deleteFrom('users').where('id', '=', id).executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
    find: async id => {
      const row = await queries.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : parseUser(row);
    },
    findByEmail: async email => {
      const row = await queries.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst();
      return row === undefined ? null : parseUser(row);
    },
    list: async () => {
      const rows = await queries.selectFrom('users').selectAll().orderBy('email').execute();
      return rows.map(parseUser);
    },
    countOwners: () => countOwners(queries),
  };
}

async function updateUser(queries: Queries, user: User): Promise<void> {
  try {
    await queries.updateTable('users').set(composeRow(user)).where('id', '=', user.id).execute();
  } catch (error) {
    if (error instanceof ConstraintViolation && error.kind === 'unique') throw takenError(user);
    throw error;
  }
}

async function countOwners(queries: Queries): Promise<number> {
  const query = queries.selectFrom('users').select(({ fn }) => fn.countAll<number>().as('count'));
  const row = await query.where('is_owner', '=', 1).executeTakeFirstOrThrow();
  return row.count;
}

function takenError(user: User): ServiceError {
  return new ServiceError('name_taken', `There is a user with the e-mail address ${user.email} already.`, {
    field: 'email',
  });
}

/** Everything that may change. */
function composeRow(user: User): Omit<UserRow, 'id' | 'created_at'> {
  return {
    email: user.email,
    name: user.name,
    password_hash: user.passwordHash,
    is_owner: user.isOwner ? 1 : 0,
    verified_email: user.verifiedEmail,
  };
}

function parseUser(row: UserRow): User {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    passwordHash: row.password_hash,
    isOwner: row.is_owner === 1,
    createdAt: row.created_at,
    verifiedEmail: row.verified_email,
  };
}
