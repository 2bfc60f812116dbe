/** Clients for Node.js of services that gather logs: Elasticsearch, Datadog, Splunk. */
import { partsOf } from '../escapes.ts';
import type { Guide } from '../guide.ts';
import { writesDefaultLogs, writesLogs } from '../tokens.ts';

const group = 'Node.js';
const words = ['node', 'javascript', 'typescript', 'npm', 'logger'];
const test = {
  name: 'test.js',
  language: 'javascript',
  write: () => `require('./logger.js').warn('Hello, tape');`,
} as const;

const elasticsearch: Guide = {
  id: 'elasticsearch-js',
  title: '@elastic/elasticsearch',
  group,
  about: "Elasticsearch's client for Node.js, and its bulk helper.",
  sends: 'logs',
  words: [...words, 'elastic', 'bulk', 'index', 'kibana', 'opensearch', 'elk'],
  door: 'bulk',
  token: writesLogs,
  install: 'npm install @elastic/elasticsearch',
  snippets: [
    {
      name: 'client.js',
      language: 'javascript',
      isFile: true,
      write: ({ address, token, dataset }) => `const { Client } = require('@elastic/elasticsearch');

const client = new Client({
  node: '${address}/elasticsearch',
  auth: { apiKey: '${token}' },
});

/** Documents with \`@timestamp\`, \`message\`, \`log.level\`; what else they hold becomes metadata. */
function write(documents) {
  return client.helpers.bulk({
    datasource: documents,
    onDocument: () => ({ create: { _index: '${dataset}' } }),
  });
}
module.exports = { client, write };
`,
    },
  ],
  test: {
    name: 'test.js',
    language: 'javascript',
    write:
      () => `const document = { '@timestamp': new Date(), message: 'Hello, tape', log: { level: 'warn' } };
require('./client.js').write([document]).then(console.log);`,
  },
  notes: [
    {
      sees: 'Nothing but bulk works',
      means:
        'Only create and index are taken; entries are searched in the dashboard and by GET /api/v3/logs.',
    },
  ],
};

const elasticWords = ['elastic', 'elasticsearch', 'opensearch', 'kibana', 'elk', 'transport'];

const winstonElasticsearch: Guide = {
  id: 'winston-elasticsearch',
  title: 'winston for Elasticsearch',
  group,
  about: 'The transport winston-elasticsearch; winston-opensearch takes the same settings.',
  sends: 'logs',
  words: [...words, ...elasticWords, 'winston'],
  door: 'bulk',
  token: writesLogs,
  install: 'npm install winston winston-elasticsearch',
  snippets: [
    {
      name: 'logger.js',
      language: 'javascript',
      isFile: true,
      write: ({ address, token, dataset }) => `const { createLogger } = require('winston');
const { ElasticsearchTransport } = require('winston-elasticsearch');

const transport = new ElasticsearchTransport({
  index: '${dataset}',
  clientOpts: { node: '${address}/elasticsearch', auth: { apiKey: '${token}' } },
  retryLimit: 20,
});
transport.on('error', error => console.error(error));
module.exports = createLogger({ transports: [transport] });
`,
    },
  ],
  test,
  notes: [
    {
      sees: 'A short script ends before its entries are sent',
      means: 'The transport sends every two seconds: await transport.flush() first.',
    },
  ],
};

const pinoElasticsearch: Guide = {
  id: 'pino-elasticsearch',
  title: 'pino-elasticsearch',
  group,
  about: 'A stream for pino that sends in bulk.',
  sends: 'logs',
  words: [...words, ...elasticWords, 'pino', 'fastify'],
  door: 'bulk',
  token: writesLogs,
  install: 'npm install pino pino-elasticsearch',
  snippets: [
    {
      name: 'logger.js',
      language: 'javascript',
      isFile: true,
      write: ({ address, token, dataset }) => `const pino = require('pino');
const pinoElastic = require('pino-elasticsearch');

const stream = pinoElastic({
  node: '${address}/elasticsearch',
  auth: { apiKey: '${token}' },
  index: '${dataset}',
  opType: 'create',
  flushInterval: 1000,
});
stream.on('error', error => console.error(error));
stream.on('insertError', error => console.error(error));
module.exports = pino(stream);
`,
    },
  ],
  test,
  notes: [
    {
      sees: 'Entries are missing after the service was away',
      means: 'The stream tries again for a few seconds, and tells what it drops by its event insertError.',
    },
  ],
};

const datadogHttp: Guide = {
  id: 'datadog-winston',
  title: 'winston for Datadog',
  group,
  about: "winston's Http transport as Datadog documents it for programs without an agent.",
  sends: 'logs',
  words: [...words, 'winston', 'datadog', 'agentless', 'dd-api-key'],
  door: 'datadog',
  token: writesLogs,
  install: 'npm install winston',
  snippets: [
    {
      name: 'logger.js',
      language: 'javascript',
      isFile: true,
      write: ({ address, token, dataset }) => {
        const { isSecure, host, port } = partsOf(address);
        return `const { createLogger, format, transports } = require('winston');

const options = {
  host: '${host}',
  port: ${port},
  ssl: ${isSecure},
  path: '/api/v2/logs?dd-api-key=${token}&ddsource=nodejs&service=my-app&dataset=${dataset}',
};
module.exports = createLogger({
  level: 'info',
  format: format.json(),
  transports: [new transports.Http(options)],
});
`;
      },
    },
  ],
  test: {
    name: 'test.js',
    language: 'javascript',
    write: () => `require('./logger.js').warn('Hello, tape');`,
  },
  notes: [],
};

const pinoDatadog: Guide = {
  ...datadogHttp,
  id: 'pino-datadog',
  title: 'Datadog API client',
  about: "Datadog's own client for Node.js, with another server.",
  words: [...words, 'datadog', 'datadog-api-client', 'pino'],
  token: writesDefaultLogs,
  install: 'npm install @datadog/datadog-api-client',
  snippets: [
    {
      name: 'client.js',
      language: 'javascript',
      isFile: true,
      write: ({ address, token }) => `const { client, v2 } = require('@datadog/datadog-api-client');

const configuration = client.createConfiguration({
  authMethods: { apiKeyAuth: '${token}' },
  baseServer: new client.BaseServerConfiguration('${address}', {}),
});
module.exports = new v2.LogsApi(configuration);
`,
    },
  ],
  test: {
    name: 'test.js',
    language: 'javascript',
    write: () => `const item = { message: 'Hello, tape', service: 'my-app', ddsource: 'nodejs' };
require('./client.js').submitLog({ body: [item] }).then(console.log);`,
  },
};

const splunkLogging: Guide = {
  id: 'splunk-logging',
  title: 'splunk-logging',
  group,
  about: "Splunk's client of its event collector for Node.js.",
  sends: 'logs',
  words: [...words, 'splunk', 'hec', 'collector'],
  door: 'splunk',
  token: writesLogs,
  install: 'npm install splunk-logging',
  snippets: [
    {
      name: 'logger.js',
      language: 'javascript',
      isFile: true,
      write: ({ address, token, dataset }) => `const { Logger } = require('splunk-logging');

const logger = new Logger({ token: '${token}', url: '${address}', maxRetries: 5 });
logger.error = (error, context) => console.error('not logged:', error.message, context.message);

/** \`severity\` is debug, info, warn or error. */
module.exports = function log(severity, message) {
  logger.send({ severity, message, metadata: { source: 'my-app', index: '${dataset}' } });
};
`,
    },
  ],
  test: {
    name: 'test.js',
    language: 'javascript',
    write: () => `require('./logger.js')('warn', 'Hello, tape');`,
  },
  notes: [{ sees: 'Code 4', means: 'The token is not known, or may not write to this dataset.' }],
};

const winstonSplunk: Guide = {
  ...splunkLogging,
  id: 'winston-splunk-httplogger',
  title: 'winston-splunk-httplogger',
  about: "winston's transport for Splunk's event collector.",
  words: [...words, 'winston', 'splunk', 'hec'],
  install: 'npm install winston winston-splunk-httplogger',
  snippets: [
    {
      name: 'logger.js',
      language: 'javascript',
      isFile: true,
      write: ({ address, token, dataset }) => `const { createLogger } = require('winston');
const SplunkStreamEvent = require('winston-splunk-httplogger');

const splunk = { token: '${token}', url: '${address}', index: '${dataset}', maxRetries: 5 };
module.exports = createLogger({ transports: [new SplunkStreamEvent({ splunk })] });
`,
    },
  ],
  test,
};

export const nodeCollectorGuides: readonly Guide[] = [
  elasticsearch,
  winstonElasticsearch,
  pinoElasticsearch,
  datadogHttp,
  pinoDatadog,
  splunkLogging,
  winstonSplunk,
];
