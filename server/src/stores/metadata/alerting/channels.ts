/** Stores channels as rows. */

import type { Channel, ChannelRecords } from '@tapedeck/alerting';
import { ConstraintViolation, type RowOf } from '@tapedeck/metadata-database';
import { ServiceError } from '../../../vocabulary.ts';
import type { Queries } from '../schema.ts';
import { channels } from '../tables/alerting.ts';

export function buildChannelRecords(queries: Queries): ChannelRecords {
  return {
    insert: channel =>
      refusingDuplicates('channel', async () => {
        await queries.insertInto('channels').values(composeRow(channel)).execute();
      }),
    update: channel =>
      refusingDuplicates('channel', async () => {
        const { id, project: _project, created_at: _at, created_by: _by, ...changes } = composeRow(channel);
        await queries.updateTable('channels').set(changes).where('id', '=', id).execute();
      }),
    remove: async id => {
      const result = await queries.deleteFrom('channels').where('id', '=', id).executeTakeFirst();
      return result.numDeletedRows > 0n;
    },
    find: async id => {
      const query = queries.selectFrom('channels').selectAll().where('id', '=', id);
      const row = await query.executeTakeFirst();
      return row === undefined ? null : parseChannel(row);
    },
    list: async project => {
      const query = queries.selectFrom('channels').selectAll().where('project', '=', project);
      return (await query.orderBy('name').execute()).map(parseChannel);
    },
  };
}

/** Translates the conflict if the project already has one with this name. */
export async function refusingDuplicates(what: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof ConstraintViolation && error.kind === 'unique')) throw error;
    const sentence = `A ${what} with this name already exists. Choose another.`;
    throw new ServiceError('name_taken', sentence, { field: 'name', cause: error });
  }
}

function composeRow({ severities, former, off, ...channel }: Channel) {
  return channels.compose({
    ...channel,
    severities: severities.length === 0 ? null : severities,
    formerSecret: former?.secret ?? null,
    formerSecretUntil: former?.until ?? null,
    offAt: off?.at ?? null,
    offReason: off?.reason ?? null,
  });
}

function parseChannel(row: RowOf<typeof channels>): Channel {
  const { severities, formerSecret, formerSecretUntil, offAt, offReason, ...channel } = channels.parse(row);
  return {
    ...channel,
    severities: severities ?? [],
    former: formerSecret === null ? null : { secret: formerSecret, until: formerSecretUntil ?? 0 },
    off: offAt === null ? null : { at: offAt, reason: offReason ?? '' },
  };
}
