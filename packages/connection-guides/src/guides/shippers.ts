/** Programs that gather logs of others and send them on. */
import type { Guide } from '../guide.ts';
import { writesLogs } from '../tokens.ts';

export const shipperGuides: readonly Guide[] = [
  {
    id: 'vector',
    title: 'Vector',
    group: 'Shippers and servers',
    about: 'Reads files, journald, Docker and more, and sends what it finds in batches.',
    sends: 'logs',
    words: ['datadog', 'rust', 'agent', 'shipper', 'journald', 'docker', 'file'],
    door: 'loki',
    token: writesLogs,
    install: null,
    snippets: [
      {
        name: 'vector.yaml',
        language: 'yaml',
        isFile: true,
        write: ({ address, token, dataset }) => `sources:
  files:
    type: file
    include:
      - /var/log/my-app/*.log

sinks:
  tapedeck:
    type: loki
    inputs: [files]
    endpoint: ${address}
    auth:
      strategy: bearer
      token: ${token}
    labels:
      app: my-app
      dataset: ${dataset}
    encoding:
      codec: text
`,
      },
    ],
    test: {
      name: 'A line into the file that is read',
      language: 'sh',
      write: () => `echo 'Hello, tape' | sudo tee -a /var/log/my-app/test.log`,
    },
    notes: [],
  },
];
