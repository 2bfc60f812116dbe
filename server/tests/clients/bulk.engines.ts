/** Tests two generations of Elasticsearch clients from npm and PyPI, set up as the catalogue shows. */
import { asTexts, type TestedClient, testClients } from './scenarios.ts';
import { type Client, settingsOf } from './senders.ts';

const node = settingsOf('elasticsearch-js', 'client.js');
const python = settingsOf('elasticsearch-py', 'client.py');

/** Installs both generations side by side under different names. */
function rename({ name, write }: Client['settings'], from: string, to: string): Client['settings'] {
  return { name, write: connection => write(connection).replace(from, to) };
}

const common: Pick<TestedClient, 'finds' | 'patienceMs' | 'refused'> = {
  finds: ({ level, message, metadata }) => ({
    level,
    body: message,
    resource: 'my-app',
    metadata: asTexts(metadata),
  }),
  patienceMs: 0, // the helper resends what got a 429, and the transport retries three times at once
  refused: /This token is not known/,
};
const ofNode: TestedClient['sender'] = { language: 'node', program: 'senders/bulkSender.ts' };
await testClients([
  ...['8', '9'].map(version => ({
    ...common,
    title: `@elastic/elasticsearch ${version}`,
    sender: ofNode,
    partly: /"failed":1,.*"successful":2/,
    settings: rename(node, '@elastic/elasticsearch', `elasticsearch-${version}`),
  })),
  ...['8', '9'].map(version => ({
    ...common,
    title: `elasticsearch for Python ${version}`,
    partly: /1 document\(s\) failed to index/,
    sender: {
      language: 'python' as const,
      program: 'senders/listSender.py',
      arguments: ['documents', `elasticsearch${version}`],
    },
    settings: rename(python, 'from elasticsearch ', `from elasticsearch${version} `),
  })),
]);
