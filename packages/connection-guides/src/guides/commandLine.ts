/** Programs of a shell. */
import type { Guide } from '../guide.ts';
import { writesLogs } from '../tokens.ts';

export const commandLineGuides: readonly Guide[] = [
  {
    id: 'curl-logs',
    title: 'curl: log entries',
    group: 'Command line',
    about: 'Writes log entries from any script, one or up to 10,000 at once.',
    sends: 'logs',
    words: ['bash', 'shell', 'script', 'cron', 'http', 'rest', 'api'],
    door: 'entries',
    token: writesLogs,
    install: null,
    snippets: [
      {
        name: 'Entries with a level',
        language: 'sh',
        write: ({ address, token, dataset }) => `curl '${address}/api/v3/logs?dataset=${dataset}' \\
  -H 'Authorization: Bearer ${token}' \\
  -H 'Content-Type: application/json' \\
  -d '[{"level":"info","message":"Hello, tape","resource":"backup","metadata":{"host":"web-1"}}]'`,
      },
    ],
    test: {
      name: 'One line',
      language: 'sh',
      write: ({ address, token, dataset }) =>
        `echo 'Hello, tape' | curl '${address}/api/v3/logs/lines?dataset=${dataset}' -H 'Authorization: Bearer ${token}' -H 'Content-Type: text/plain' --data-binary @-`,
    },
    notes: [
      {
        sees: '400 with a number',
        means: 'The entry at that place of the list, counted from zero, is wrong; nothing was stored.',
      },
    ],
  },
];
