/** JSON line by line, and plain text: what they store, refuse, and read in bounded time. */
import { fill } from '../../support/hostileBodies.ts';
import type { ProtocolRequests } from '../../support/protocolRequests.ts';

const path = '/api/v3/logs/lines';

export const requests: ProtocolRequests = {
  stored: [
    {
      title: 'lines with custom names',
      sent: ({ dataset }) => ({
        path: `${path}?dataset=${dataset}&messageField=what,why`,
        type: 'application/x-ndjson',
        body: '{"why":"w","level":30}\nplain\n',
      }),
      status: 200,
      body: { status: 'ok' },
      entries: ['info : w {}', 'info : plain {}'],
    },
  ],
  refused: [
    {
      title: 'lines of which one is malformed',
      sent: { path, body: 'a\n{"b":' },
      status: 400,
      says: /"error":"Line 1 begins like/,
    },
  ],
  slow: [
    {
      path,
      size: 'large',
      shapes: [
        { title: 'lines of a letter', make: bytes => 'a\n'.repeat(bytes / 2), status: 413 },
        { title: 'opening brackets', make: bytes => `{"a":${'['.repeat(bytes)}`, status: 400 },
      ],
    },
    {
      path,
      size: 'read at once',
      shapes: [
        {
          title: 'fractions that are printed differently',
          make: bytes => fill(['[{"message":"a"}', `,{"a":[-0${',-0'.repeat(200)}]}`, ']'], bytes),
          status: 200,
        },
      ],
    },
  ],
};
