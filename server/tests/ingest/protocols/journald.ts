/** The journal's export format: what it stores, refuses, and reads in bounded time. */
import { fillCounted } from '../../support/hostileBodies.ts';
import type { ProtocolRequests } from '../../support/protocolRequests.ts';

const path = '/upload';
const type = 'application/vnd.fdo.journal';
const farTooMuch = 3 * 1024 * 1024; // more than 100,000 entries

export const requests: ProtocolRequests = {
  stored: [
    {
      title: 'entries of a journal',
      sent: ({ dataset }) => ({
        path: `${path}?dataset=${dataset}`,
        type,
        body: 'MESSAGE=up\nPRIORITY=4\nSYSLOG_IDENTIFIER=game\n_PID=7\n\nMESSAGE=down\n',
      }),
      status: 202,
      body: null,
      entries: ['warn game: up {"_PID":"7"}', 'info : down {}'],
    },
  ],
  refused: [
    {
      title: 'a journal without a token',
      sent: { path, body: 'MESSAGE=a\n', type, headers: {} },
      status: 401,
      says: /^\{"error":"Send an API token[^"]+","code":"token_missing"\}$/,
    },
    {
      title: 'a journal with a field without a name',
      sent: { path, body: '=a\n', type },
      status: 400,
      says: /has a field without a name/,
    },
  ],
  slow: [
    {
      path,
      size: 'medium and large',
      shapes: [
        { title: 'line ends', make: bytes => '\n'.repeat(bytes), status: 202 },
        { title: 'entries', make: bytes => 'MESSAGE=a\n\n'.repeat(bytes / 33), status: 202 },
        {
          title: 'more entries than one request of other protocols may have',
          make: () => 'MESSAGE=a\n\n'.repeat(farTooMuch / 11),
          status: 202,
        },
        {
          title: 'fields of one name',
          make: bytes => `MESSAGE=m\n${'A=b\n'.repeat(bytes / 4)}`,
          status: 202,
        },
        {
          title: 'fields of an entry',
          make: bytes =>
            fillCounted(['MESSAGE=m\n', '\n'], index => `K${index}=1`, bytes).replaceAll(',', '\n'),
          status: 202,
        },
        { title: 'fields without a value', make: bytes => `${'A'.repeat(bytes)}\n`, status: 400 },
      ],
    },
  ],
};
