/** Requests that Elasticsearch clients make before and beside their bulk requests. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { addPerson, addToken } from '../support/people.ts';
import { startTestService } from '../support/service.ts';
import { openLogBook } from '../support/storedEntries.ts';

const service = await startTestService();
after(() => service[Symbol.asyncDispose]());
const { token, read, newDataset } = await openLogBook(service);
const media = await addToken(await addPerson(service, { isOwner: true }), { kind: 'media' });

type RequestOptions = { method?: string; path: string; body?: string; headers?: Record<string, string> };

async function request({ method = 'GET', path, body, headers }: RequestOptions) {
  const init = { method, headers: { authorization: `ApiKey ${btoa(`id:${token}`)}`, ...headers } };
  const response = await service.fetch(path, body === undefined ? init : { ...init, body });
  const text = await response.text();
  return { status: response.status, text, headers: response.headers };
}

/** A client's request, with the response's status and content. */
type Step = readonly [method: string, path: string, status: number, holds?: RegExp];

const ways: Readonly<Record<string, { agent: string; steps: readonly Step[] }>> = {
  'Filebeat 8': {
    agent: 'Elastic-filebeat/8.15.3 (linux; amd64; commit; build)',
    steps: [
      ['GET', '/', 200, /"number":"8\.17\.0"/],
      ['GET', '/_license?human=false', 200, /"type":"basic"/],
      ['GET', '/_ilm/policy/filebeat', 404, /"status":404/],
      ['PUT', '/_ilm/policy/filebeat', 200, /"acknowledged":true/],
      ['HEAD', '/_index_template/filebeat-8.15.3', 404],
      ['PUT', '/_index_template/filebeat-8.15.3', 200, /"acknowledged":true/],
      ['GET', '/_data_stream/filebeat-8.15.3', 404],
      ['PUT', '/_data_stream/filebeat-8.15.3', 200, /"acknowledged":true/],
      ['GET', '/_ingest/pipeline/filebeat-8.15.3-nginx', 404],
      ['PUT', '/_ingest/pipeline/filebeat-8.15.3-nginx', 200],
    ],
  },
  'Filebeat 9, which is newer than other responses say': {
    agent: 'Elastic-filebeat/9.2.1 (linux; arm64)',
    steps: [['GET', '/', 200, /"number":"9\.2\.1"/]],
  },
  'Filebeat 7': {
    agent: 'Filebeat/7.17.9 (linux; amd64)',
    steps: [
      ['GET', '/elasticsearch', 200, /"tagline":"You Know, for Search"/],
      ['GET', '/elasticsearch/_xpack', 200, /"ilm":\{"available":true,"enabled":true\}/],
      ['GET', '/elasticsearch/_license', 200],
      ['GET', '/elasticsearch/_alias/filebeat-7.17.9', 404],
      ['PUT', '/elasticsearch/%3Cfilebeat-7.17.9-%7Bnow%2Fd%7D-000001%3E', 200, /"shards_acknowledged":true/],
    ],
  },
  Logstash: {
    agent: 'logstash/8.15.0 (OS=Linux; JVM=21) logstash-output-elasticsearch/11.22.9',
    steps: [
      ['HEAD', '/', 200],
      ['GET', '/', 200, /"build_flavor":"default"/],
      ['GET', '/_license', 200],
      ['HEAD', '/_index_template/ecs-logstash', 404],
      ['PUT', '/_index_template/ecs-logstash', 200],
    ],
  },
  Vector: {
    agent: 'Vector/0.43.1 (x86_64-unknown-linux-gnu)',
    steps: [
      ['GET', '/elasticsearch/_cluster/health', 200, /"status":"green"/],
      ['GET', '/elasticsearch/', 200],
    ],
  },
  'the sinks of .NET': {
    agent: 'elasticsearch-net/7.17.5',
    steps: [
      ['GET', '/elasticsearch/_cat/nodes?h=v', 200, /^8\.17\.0\n$/],
      ['HEAD', '/elasticsearch/_template/serilog-events-template', 404],
      ['PUT', '/elasticsearch/_template/serilog-events-template', 200],
      ['PUT', '/elasticsearch/_component_template/logs-dotnet', 200],
    ],
  },
  'clients that discover nodes, and create an index before they use it': {
    agent: 'go-elasticsearch/8.15.0',
    steps: [
      ['GET', '/_nodes/http', 200, /"publish_address":"[^"]+:\d+"/],
      ['HEAD', '/elasticsearch/logs', 200],
      ['PUT', '/elasticsearch/logs', 200, /"index":"logs"/],
      ['PUT', '/elasticsearch/logs/_mapping', 200],
      ['POST', '/elasticsearch/logs/_refresh', 200, /"failed":0/],
      ['POST', '/elasticsearch/_aliases', 200],
    ],
  },
  'typed clients, which require every field': {
    agent: 'elastic-java/9.5.2 (Java/17.0.15)',
    steps: [
      ['GET', '/', 200, /"build_hash":".+"build_date":".+"build_snapshot":false,"lucene_version":"/],
      ['GET', '/_cluster/health', 200, /"active_shards_percent_as_number":100,.*"number_of_pending_tasks":0/],
      ['GET', '/_license', 200, /"issue_date":.*"issued_to":.*"issuer":/],
    ],
  },
  'transports of loggers, after they have sent': {
    agent: 'elasticsearch-js/9.5.1',
    steps: [
      ['GET', '/logs/_refresh', 200, /"failed":0/],
      ['POST', '/logs/_refresh', 200, /"failed":0/],
    ],
  },
};

describe('Elasticsearch handshakes', () => {
  for (const [client, { agent, steps }] of Object.entries(ways)) {
    it(client, async () => {
      for (const [method, path, status, holds = /^/] of steps) {
        const headers = { 'user-agent': agent, 'content-type': 'application/json' };
        const body = method === 'PUT' ? '{"settings":{"index":{}}}' : undefined;
        const answered = await request({ method, path, headers, ...(body !== undefined && { body }) });
        assert.equal(answered.status, status, `${method} ${path}: ${answered.text}`);
        assert.match(answered.text, holds, `${method} ${path}`);
        assert.equal(answered.headers.get('x-elastic-product'), 'Elasticsearch', `${method} ${path}`);
      }
    });
  }

  it('newer clients, with responses in their media type', async () => {
    for (const version of ['8', '9']) {
      const accept = `application/vnd.elasticsearch+json; compatible-with=${version}`;
      const dataset = newDataset();
      const rows: readonly RequestOptions[] = [
        { path: '/', headers: { accept } },
        { path: '/elasticsearch/_index_template/none', headers: { accept } },
        {
          method: 'POST',
          path: '/_bulk',
          body: `{"create":{"_index":"${dataset}"}}\n{"message":"m"}\n`,
          headers: { accept, 'content-type': accept.replace('+json', '+x-ndjson') },
        },
        {
          path: '/elasticsearch/_bulk',
          method: 'POST',
          body: 'none',
          headers: { accept, 'content-type': accept },
        },
      ];
      for (const row of rows) {
        const type = `application/vnd.elasticsearch+json;compatible-with=${version}`;
        assert.equal((await request(row)).headers.get('content-type'), type, row.path);
      }
      assert.equal((await read(dataset)).length, 1);
    }
  });

  it('not browsers that open the dashboard', async () => {
    const accept = 'text/html,application/xhtml+xml,*/*;q=0.8';
    for (const agent of ['Mozilla/5.0', 'Mozilla/5.0 elastic']) {
      const { text } = await request({ path: '/', headers: { accept, 'user-agent': agent } });
      assert.doesNotMatch(text, /for Search/);
    }
  });
});

describe('stores a single document', () => {
  const rows: readonly [method: string, path: string, body: string, entry: string][] = [
    ['POST', '_doc', '{"message":"a","log.level":"warn"}', 'warn: a {}'],
    [
      'PUT',
      '_doc/7',
      '{\r\n  "message": "over\\nlines",\n  "x": 1\n}',
      'info: over\nlines {"x":"1","_id":"7"}',
    ],
    ['PUT', '_create/x%2Fy', '{"message":"b"}', 'info: b {"_id":"x/y"}'],
  ];
  for (const [method, path, body, entry] of rows) {
    for (const prefix of ['', '/elasticsearch']) {
      it(`${method} ${prefix}/{index}/${path}`, async () => {
        const dataset = newDataset();
        const answered = await request({ method, path: `${prefix}/${dataset}/${path}`, body });
        assert.equal(answered.status, 201, answered.text);
        const { _index, _id, result } = JSON.parse(answered.text);
        assert.deepEqual([_index, result], [dataset, 'created']);
        assert.equal(typeof _id, 'string');
        const stored = await read(dataset);
        assert.deepEqual(
          stored.map(({ level, body: said, metadata }) => `${level}: ${said} ${JSON.stringify(metadata)}`),
          [entry],
        );
      });
    }
  }

  it('and many of them by a path with a type', async () => {
    const dataset = newDataset();
    const answered = await request({
      method: 'POST',
      path: `/${dataset}/logEvent/_bulk`,
      body: '{"index":{}}\n{"message":"m"}\n',
    });
    assert.equal(answered.status, 200, answered.text);
    assert.equal((await read(dataset)).length, 1);
  });
});

describe('rejects, in the format of the protocol', () => {
  const rows: readonly [string, RequestOptions, number, RegExp][] = [
    [
      'a search',
      { method: 'POST', path: '/elasticsearch/logs/_search', body: '{}' },
      404,
      /read them at \/api\/v3\/logs/,
    ],
    ['an unknown path at the root', { path: '/_tasks' }, 404, /resource_not_found_exception/],
    ['a deletion', { method: 'DELETE', path: '/elasticsearch/logs' }, 405, /cannot be deleted/],
    [
      'a template without a token',
      { method: 'PUT', path: '/_index_template/x', body: '{}', headers: { authorization: '' } },
      401,
      /security_exception/,
    ],
    [
      'a query with a token for media',
      { path: '/_nodes', headers: { authorization: media.token } },
      403,
      /security_exception/,
    ],
    [
      'an invalid document',
      { method: 'POST', path: '/logs/_doc', body: '[1]' },
      400,
      /illegal_argument_exception/,
    ],
    ['two documents', { method: 'POST', path: '/logs/_doc', body: '{"a":1}\n{"a":2}' }, 400, /JSON object/],
    [
      'an empty document',
      { method: 'POST', path: '/logs/_doc', body: '' },
      400,
      /illegal_argument_exception/,
    ],
    [
      'an invalid dataset name',
      { method: 'POST', path: '/a%20b/_doc', body: '{"message":"m"}' },
      400,
      /letters, digits/,
    ],
    [
      'a time in the far future',
      { method: 'POST', path: '/logs/_doc', body: '{"@timestamp":"2999-01-01T00:00:00Z"}' },
      400,
      /day ahead/,
    ],
  ];
  for (const [name, options, status, says] of rows) {
    it(name, async () => {
      const answered = await request(options);
      assert.equal(answered.status, status, answered.text);
      const { error, status: reported } = JSON.parse(answered.text);
      assert.equal(reported, status);
      assert.match(answered.text, says);
      assert.deepEqual(error.root_cause, [{ type: error.type, reason: error.reason }]);
    });
  }
});
