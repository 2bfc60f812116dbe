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
          { description: 'Whether these lie on it, or elsewhere.' },
        ),
        bytesADay: nullable(
          Type.Integer({
            description: 'What it holds of these grew by; null while less than a day is known.',
          }),
        ),
        since: nullable(Instant),
        daysLeft: nullable(Type.Number({ description: 'At this pace; null: no end in sight.' })),
      },
      { description: 'The one that holds the data directory.' },
    ),
    journal: Type.Object(
      { entries: Count, bytes: Count, oldestAt: nullable(Instant) },
      { description: 'Entries that were acknowledged, and that the log engine has not taken yet.' },
    ),
    engine: Type.Object({
      own: Type.Boolean({ description: 'A process of the service; else ClickHouse elsewhere.' }),
      servers: Type.Array(
        Type.Object({
          running: Type.Boolean(),
          version: nullable(Type.String()),
          memoryBytes: nullable(Type.Integer({ minimum: 0, description: 'That it has allocated.' })),
        }),
      ),
    }),
    backup: nullable(
      Type.Object(
        {
          endedAt: Instant,
          folder: Type.String(),
          bytes: Count,
          version: Type.String({ description: 'That made it.' }),
          parts: recordOf(recordOf(Count), { description: 'Of each part, what is counted there.' }),
        },
        { description: 'The last one that ended well; null: there was none.' },
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
      { description: 'Those that share the database; none where it is this machine’s own.' },
    ),
    trouble: Type.Array(Type.Object({ name: Type.String({ examples: ['logs'] }), sentence: Type.String() }), {
      description:
        'As `/readyz` tells it: of stores that are away, of a full disk, and of log entries that are missing.',
    }),
  }),
  errors: [],
});
