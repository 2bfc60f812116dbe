/** Stores dashboard users as rows. */

import type { User, UserRecords } from '@tapedeck/domain/ports/metadata';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import { ConstraintViolation } from '@tapedeck/metadata-database';
import type { Queries } from './schema.ts';
import { users } from './tables/people.ts';
import { deleteRow } from './writeOutcomes.ts';

export function buildUserRecords(queries: Queries): UserRecords {
  return {
    insert: async user => {
      const result = await queries
        .insertInto('users')
        .values(users.compose(user))
        .onConflict(conflict => conflict.column('email').doNothing())
        .executeTakeFirst();
      if (result.numInsertedOrUpdatedRows === 0n) throw duplicateError(user);
    },
    update: user => updateUser(queries, user),
    remove: id => deleteRow(queries.deleteFrom('users').where('id', '=', id)),
    find: async id => {
      return users.parseFound(
        await queries.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst(),
      );
    },
    findByEmail: async email => {
      return users.parseFound(
        await queries.selectFrom('users').selectAll().where('email', '=', email).executeTakeFirst(),
      );
    },
    list: async () => {
      const rows = await queries.selectFrom('users').selectAll().orderBy('email').execute();
      return rows.map(users.parse);
    },
    countOwners: () => countOwners(queries),
  };
}

async function updateUser(queries: Queries, user: User): Promise<void> {
  const { id, created_at: _created, ...changes } = users.compose(user);
  try {
    await queries.updateTable('users').set(changes).where('id', '=', id).execute();
  } catch (error) {
    if (error instanceof ConstraintViolation && error.kind === 'unique') throw duplicateError(user);
    throw error;
  }
}

async function countOwners(queries: Queries): Promise<number> {
  const query = queries.selectFrom('users').select(({ fn }) => fn.countAll<number>().as('count'));
  const row = await query.where('is_owner', '=', 1).executeTakeFirstOrThrow();
  return row.count;
}

function duplicateError(user: User): ServiceError {
  return new ServiceError('name_taken', `A user with the email address ${user.email} already exists.`, {
    field: 'email',
  });
}
