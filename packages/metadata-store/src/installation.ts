/** Stores the installation's facts as rows: one text per name. */
import type { InstallationFacts } from '@tapedeck/domain/ports/installation';
import type { Queries } from './schema.ts';

export function buildInstallationFacts(queries: Queries): InstallationFacts {
  const find = async (name: string) => {
    const row = await queries
      .selectFrom('installation_facts')
      .select('value')
      .where('name', '=', name)
      .executeTakeFirst();
    return row?.value ?? null;
  };
  return {
    find,
    keep: async (name, value) => {
      await queries
        .insertInto('installation_facts')
        .values({ name, value })
        .onConflict(conflict => conflict.column('name').doNothing())
        .execute();
      return (await find(name)) ?? value;
    },
    put: async (name, value) => {
      await queries
        .insertInto('installation_facts')
        .values({ name, value })
        .onConflict(conflict => conflict.column('name').doUpdateSet({ value }))
        .execute();
    },
    remove: async name => {
      await queries.deleteFrom('installation_facts').where('name', '=', name).execute();
    },
  };
}
