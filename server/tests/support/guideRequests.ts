/** For tests: builds the requests that catalogue tools make, from the settings in their guides. */
import type { Connection, Guide } from '@tapedeck/guides';
import { parse } from 'yaml';
import { guides } from './connectGuides.ts';
import { nowNanos } from './protocolBodies.ts';
import { makePicture } from './uploading.ts';

type ToolRequest = { url: string; method: string; headers: Record<string, string>; body: Sent };
type Sent = string | Uint8Array<ArrayBuffer>;

/** The address and credentials that a tool reads from its settings. */
type Reading = { url: string; authorization?: string; headers?: Record<string, string> };
type Texts = Readonly<Record<string, string>>;
type Reader = (texts: Texts, connection: Connection) => Reading;

const basic = (name: string, password: string) => `Basic ${btoa(`${name}:${password}`)}`;
const readYaml = (text: string | undefined) => parse(text ?? '');

/** Settings that name host, port and credentials separately. The names are the tools' own. */
const readers: Readonly<Record<string, Reader>> = {
  vector: texts => readVector(texts['vector.yaml']),
  nginx: texts => readVector(texts['vector.yaml']),
  journald: texts => readVector(texts['vector.yaml']),
  'fluent-bit': texts => {
    const { host, port, tls, bearer_token } = readYaml(texts['fluent-bit.yaml']).pipeline.outputs[0];
    const scheme = tls === 'on' ? 'https' : 'http';
    return { url: `${scheme}://${host}:${port}/loki/api/v1/push`, authorization: `Bearer ${bearer_token}` };
  },
  filebeat: texts => {
    const output = readYaml(texts['filebeat.yml'])['output.elasticsearch'];
    const url = `${output.hosts[0]}${output.path}/${output.index}/_bulk`;
    return { url, authorization: `ApiKey ${btoa(output.api_key)}` };
  },
  promtail: texts => {
    const [client] = readYaml(texts['promtail.yaml']).clients;
    return { url: client.url, authorization: `Bearer ${client.bearer_token}` };
  },
  'opentelemetry-collector': texts => {
    const exporter = readYaml(texts['config.yaml']).exporters['otlphttp/tapedeck'];
    return { url: exporter.logs_endpoint, headers: exporter.headers };
  },
  grafana: texts => {
    const [source] = readYaml(texts['tapedeck.yaml']).datasources;
    return { url: `${source.url}/loki/api/v1/push`, authorization: source.secureJsonData.httpHeaderValue1 };
  },
  'docker-splunk': texts => {
    const { options } = readYaml(texts['compose.yaml']).services['my-app'].logging;
    const url = `${options['splunk-url']}/services/collector/event/1.0`;
    return { url, authorization: `Splunk ${options['splunk-token']}` };
  },
  'docker-loki': texts => {
    const { options } = readYaml(texts['compose.yaml']).services['my-app'].logging;
    return readCredentials(options['loki-url']);
  },
  'datadog-agent': texts => {
    const { api_key, logs_config } = readYaml(texts['datadog.yaml']);
    return { url: `${logs_config.logs_dd_url}/api/v2/logs`, headers: { 'dd-api-key': api_key } };
  },
  alertmanager: texts => ({
    url: readYaml(texts['alertmanager.yml']).receivers[0].discord_configs[0].webhook_url,
  }),
  hytale: texts => {
    const { Endpoint, Username, Password } = JSON.parse(texts['config.json'] ?? '').LogProvider;
    return { url: `${Endpoint}/loki/api/v1/push`, authorization: basic(Username, Password) };
  },
  'ox-lib': texts => {
    const set = (name: string) =>
      new RegExp(`set ${name} "([^"]*)"`).exec(texts['server.cfg'] ?? '')?.[1] ?? '';
    const url = `${set('loki:endpoint')}/loki/api/v1/push`;
    return { url, authorization: basic(set('loki:user'), set('loki:key')) };
  },
};

function readVector(text: string | undefined): Reading {
  const { type, endpoint, uri, auth } = readYaml(text).sinks.tapedeck;
  const url = type === 'loki' ? `${endpoint}/loki/api/v1/push` : uri;
  return { url, authorization: `Bearer ${auth.token}` };
}

/** Reads credentials that stand before the host. */
function readCredentials(url: string): Reading {
  const [, before = '', name = '', password = '', rest = ''] =
    /^(https?:\/\/)(\w+):(\w+)@(.*)$/.exec(url) ?? [];
  return before === '' ? { url } : { url: before + rest, authorization: basic(name, password) };
}

/** Reads texts that contain the whole address, with a token in it or in a header beside it. */
function readAnyText(texts: Texts, { address, token }: Connection): Reading {
  const text = Object.values(texts).join('\n').replaceAll('&quot;', '"');
  const places = text.match(new RegExp(`${address.replaceAll('.', '\\.')}[^\\s"'\`<>]*`, 'g')) ?? [];
  const url = places.find(place => place.includes('/', 8)) ?? '';
  if (url.includes(token)) return { url };
  if (text.includes('<password>')) return { url, authorization: basic('tapedeck', token) };
  const named = /X-Tapedeck-Dataset\W+([\w.-]+)/.exec(text)?.[1];
  const headers = named === undefined ? {} : { 'x-tapedeck-dataset': named };
  if (new RegExp(`Bearer(?: |%20)${token}|bearer_token\\s*= "${token}"`).test(text))
    return { url, headers, authorization: `Bearer ${token}` };
  return { url };
}

/** Null if no text says where its tool sends, because a library knows the rest. */
export async function readRequest(guide: Guide, connection: Connection): Promise<ToolRequest | null> {
  const texts = Object.fromEntries(guide.snippets.map(({ name, write }) => [name, write(connection)]));
  const { url, authorization, headers } = (readers[guide.id] ?? readAnyText)(texts, connection);
  if (url === '') return null;
  const { type, body, method = 'POST' } = await makeBody(guide, connection.dataset);
  return {
    url,
    method,
    body,
    headers: { ...(type && { 'content-type': type }), ...(authorization && { authorization }), ...headers },
  };
}

type Body = { type?: string; body: Sent; method?: string };

/** Makes one entry, or one file, in the guide's protocol. */
async function makeBody({ protocol }: Guide, dataset: string): Promise<Body> {
  const json = 'application/json';
  switch (protocol) {
    case 'entries':
      return { type: json, body: '[{"level":"info","message":"Hello"}]' };
    case 'lines':
      return { type: 'application/x-ndjson', body: '{"level":"WARN","message":"Hello"}\n' };
    case 'chat':
      return { type: json, body: '{"content":"Hello","text":"Hello"}' };
    case 'loki': {
      const stream = { app: 'my-app', dataset };
      return { type: json, body: JSON.stringify({ streams: [{ stream, values: [[nowNanos, 'Hello']] }] }) };
    }
    case 'otlp':
      return {
        type: json,
        body: '{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"Hello"}}]}]}]}',
      };
    case 'bulk':
      return { type: 'application/x-ndjson', body: `{"create":{}}\n{"message":"Hello"}\n` };
    case 'datadog':
      return { type: json, body: '[{"message":"Hello"}]' };
    case 'splunk':
      return { type: json, body: JSON.stringify({ event: 'Hello', index: dataset }) };
    case 'sentry':
      return { body: '{}\n{"type":"event"}\n{"message":"Hello"}' };
    case 'mcp':
      return { type: json, body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}' };
    case 'gelf':
      return { body: '{"host":"web-1","short_message":"Hello"}' };
    default:
      return { body: new Uint8Array(await makePicture()), method: 'PUT' };
  }
}

/** Guides whose texts are settings, or code in other languages. The tests run commands and code for Node.js or Python instead. */
export const settingsGuides: readonly Guide[] = guides.filter(({ snippets }) =>
  snippets.some(({ language }) => !/^(?:sh|powershell|javascript|python)$/.test(language)),
);
