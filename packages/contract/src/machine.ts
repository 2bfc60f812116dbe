/** The state of the machine, for owners of the installation. */
import Type from 'typebox';
import { defineRoute } from './route.ts';
import { Instant, nullable, recordOf } from './values.ts';

const Count = Type.Integer({ minimum: 0 });

export const getMachine = defineRoute({
  id: 'getMachine',
  method: 'GET',
  path: '/api/manage/machine',
  area: 'Machine',
  summary: 'Get the state of this machine: disk, journal, log engine, last backup, version, problems.',
  access: { by: 'owner' },
  answer: Type.Object({
    version: Type.String(),
    startedAt: Instant,
    disk: Type.Object(
      {
        freeBytes: Count,
        totalBytes: Count,
        holds: Type.Object(
          { files: Type.Boolean(), logs: Type.Boolean() },
          { description: 'Whether files and logs are stored on this disk.' },
        ),
        bytesADay: nullable(
          Type.Integer({
            description:
              'Daily growth of the files and logs on this disk; null while less than a day is known.',
          }),
        ),
        since: nullable(Instant),
        daysLeft: nullable(
          Type.Number({
            description: 'Days until the disk is full at this pace; null if unknown or not filling.',
          }),
        ),
      },
      { description: 'The disk that holds the data directory.' },
    ),
    journal: Type.Object(
      { entries: Count, bytes: Count, oldestAt: nullable(Instant) },
      { description: 'Acknowledged entries that the log engine has not stored yet.' },
    ),
    engine: Type.Object({
      own: Type.Boolean({ description: 'true: run by this service; false: a separate ClickHouse.' }),
      servers: Type.Array(
        Type.Object({
          running: Type.Boolean(),
          version: nullable(Type.String()),
          memoryBytes: nullable(Type.Integer({ minimum: 0, description: 'Memory allocated by the server.' })),
        }),
      ),
    }),
    backup: nullable(
      Type.Object(
        {
          endedAt: Instant,
          folder: Type.String(),
          bytes: Count,
          version: Type.String({ description: 'Version that made the backup.' }),
          parts: recordOf(recordOf(Count), { description: 'Counts for each part of the backup.' }),
        },
        { description: 'The last successful backup; null if there was none.' },
      ),
    ),
    nodes: Type.Array(
      Type.Object({
        name: Type.String(),
        state: Type.Union([Type.Literal('running'), Type.Literal('silent'), Type.Literal('stopped')]),
        version: Type.String(),
        startedAt: Instant,
        seenAt: Instant,
      }),
      { description: 'Nodes that share the database; empty if it is not shared.' },
    ),
    trouble: Type.Array(Type.Object({ name: Type.String({ examples: ['logs'] }), sentence: Type.String() }), {
      description: 'Problems as in `/readyz`: unreachable stores, a full disk and missing log entries.',
    }),
  }),
  errors: [],
});
