/** Stores linked OpenID identities and used tickets as rows. */
import type { IdentityRecords, SpentTickets } from '@tapedeck/domain/ports/identity';
import { ServiceError } from '@tapedeck/domain/vocabulary';
import type { Queries } from '../schema.ts';
import { identities } from '../tables/people.ts';
import { deleteRow } from '../writeOutcomes.ts';

export function buildIdentityRecords(queries: Queries): IdentityRecords {
  const select = () => queries.selectFrom('identities').selectAll();
  return {
    insert: async identity => {
      const result = await queries
        .insertInto('identities')
        .values(identities.compose(identity))
        .onConflict(conflict => conflict.columns(['issuer', 'subject']).doNothing())
        .executeTakeFirst();
      if (result.numInsertedOrUpdatedRows === 0n)
        throw new ServiceError('name_taken', 'This provider account is already linked to a user.');
    },
    findBySubject: async (issuer, subject) => {
      const found = select().where('issuer', '=', issuer).where('subject', '=', subject);
      return identities.parseFound(await found.executeTakeFirst());
    },
    listOfUser: async userId => {
      const found = select().where('user_id', '=', userId).orderBy('created_at').orderBy('id');
      return (await found.execute()).map(identities.parse);
    },
    recordUse: async (id, usedAt) => {
      await queries.updateTable('identities').set({ last_used_at: usedAt }).where('id', '=', id).execute();
    },
    remove: (userId, id) =>
      deleteRow(queries.deleteFrom('identities').where('user_id', '=', userId).where('id', '=', id)),
  };
}

export function buildSpentTickets(queries: Queries): SpentTickets {
  return {
    spend: async (hash, expiresAt) => {
      const result = await queries
        .insertInto('spent_tickets')
        .values({ hash, expires_at: expiresAt })
        .onConflict(conflict => conflict.column('hash').doNothing())
        .executeTakeFirst();
      return result.numInsertedOrUpdatedRows !== 0n;
    },
    removeExpired: async before => {
      await queries.deleteFrom('spent_tickets').where('expires_at', '<', before).execute();
    },
  };
}
