/** Channels as rows. */

import type { Channel, ChannelRecords } from '@tapedeck/alerting';
import { ConstraintViolation } from '@tapedeck/metadata-database';
import { ServiceError } from '../../../vocabulary.ts';
import type { ChannelRow, Queries } from '../schema.ts';

export function buildChannelRecords(queries: Queries): ChannelRecords {
  return {
    insert: channel =>
      refusingTaken('channel', async () => {
        await queries.insertInto('channels').values(composeRow(channel)).execute();
      }),
    update: channel =>
      refusingTaken('channel', async () => {
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

/** What is written has a name, and its project may have one of that name already. */
export async function refusingTaken(what: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (!(error instanceof ConstraintViolation && error.kind === 'unique')) throw error;
    const sentence = `There is a ${what} of this name already; choose another.`;
    throw new ServiceError('name_taken', sentence, { field: 'name', cause: error });
  }
}

function composeRow({ events, former, off, ...channel }: Channel): ChannelRow {
  const { id, project, name, kind, target, secret } = channel;
  return {
    ...{ id, project, name, kind, target, secret },
    events: JSON.stringify(events),
    severities: channel.severities.length === 0 ? null : JSON.stringify(channel.severities),
    former_secret: former?.secret ?? null,
    former_secret_until: former?.until ?? null,
    failing_since: channel.failingSince,
    held_until: channel.heldUntil,
    off_at: off?.at ?? null,
    off_reason: off?.reason ?? null,
    created_at: channel.createdAt,
    created_by: channel.createdBy,
  };
}

function parseChannel(row: ChannelRow): Channel {
  const { id, project, name, kind, target, secret, former_secret: former, off_at: offAt } = row;
  return {
    ...{ id, project, name, kind, target, secret },
    // Both are written by `composeRow`.
    events: JSON.parse(row.events) as Channel['events'],
    severities: row.severities === null ? [] : (JSON.parse(row.severities) as Channel['severities']),
    former: former === null ? null : { secret: former, until: row.former_secret_until ?? 0 },
    failingSince: row.failing_since,
    heldUntil: row.held_until,
    off: offAt === null ? null : { at: offAt, reason: row.off_reason ?? '' },
    createdAt: row.created_at,
    createdBy: row.created_by,
  };
}
