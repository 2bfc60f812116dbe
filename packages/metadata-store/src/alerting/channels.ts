/** Stores channels as rows. */

import type { Channel, ChannelRecords } from '@tapedeck/alerting';
import type { RowOf } from '@tapedeck/metadata-database';
import type { Queries } from '../schema.ts';
import { channels } from '../tables/alerting.ts';
import { deleteRow, refusingDuplicates } from '../writeOutcomes.ts';

export function buildChannelRecords(queries: Queries): ChannelRecords {
  return {
    insert: channel =>
      refusingDuplicates('channel', () =>
        queries.insertInto('channels').values(composeRow(channel)).execute(),
      ),
    update: channel =>
      refusingDuplicates('channel', async () => {
        const { id, project: _project, created_at: _at, created_by: _by, ...changes } = composeRow(channel);
        await queries.updateTable('channels').set(changes).where('id', '=', id).execute();
      }),
    remove: id => deleteRow(queries.deleteFrom('channels').where('id', '=', id)),
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
