/** Routes of other programs' protocols, as their clients call them. */
import Type, { type TSchema } from 'typebox';
import { uploadErrors } from '../../contract/files.ts';
import { type Access, defineRoute, type Route, StatusOk } from '../../contract/route.ts';
import { type MediaType, mediaTypes } from '../../vocabulary.ts';

const area = 'doors';
const anyBody = Type.Unknown({ description: 'As the protocol has it.' });
const bodyTypes: Readonly<Record<string, TSchema>> = Object.fromEntries(
  ['application/json', 'application/x-ndjson', 'application/x-protobuf', 'text/plain'].map(type => [
    type,
    anyBody,
  ]),
);

/** A route that takes entries. */
type Intake = Route & { access: Extract<Access, { by: 'token' }> };

type Door = Pick<Route, 'id' | 'path' | 'summary'> & { method?: 'POST' | 'PUT'; inPath?: true };

function intake({ inPath, method = 'POST', ...door }: Door): Intake {
  return defineRoute({
    ...door,
    isForeign: true,
    method,
    area,
    access: {
      by: 'token',
      kinds: ['logs', 'sdk'],
      action: 'write',
      apiKey: true,
      spelling: 'any',
      ...(inPath && { inPath }),
    },
    stream: bodyTypes,
    answer: anyBody,
    errors: [
      'bad_request',
      'invalid_json',
      'invalid_field',
      'body_too_large',
      'unsupported_content_type',
      'scope_missing',
      'journal_full',
      'disk_full',
    ],
  });
}

/** A question that needs the token of an intake. */
function question(id: string, { path, summary, method }: Pick<Route, 'path' | 'summary' | 'method'>): Intake {
  const { stream, ...route } = intake({ id, path, summary });
  return { ...route, method, errors: [] };
}

function greeting(id: string, path: string, summary: string): Route {
  return defineRoute({
    isForeign: true,
    id,
    method: 'GET',
    path,
    area,
    summary,
    access: { by: 'anyone' },
    answer: anyBody,
    errors: [],
  });
}

export const lokiRoutes = {
  push: intake({ id: 'loki_push', path: '/loki/api/v1/push', summary: "Loki's push, as JSON or protobuf." }),
  ready: greeting('loki_ready', '/ready', 'As Loki says that it is ready.'),
  buildInfo: greeting('loki_build_info', '/loki/api/v1/status/buildinfo', "Loki's version."),
};

export const otlpRoutes = [
  intake({ id: 'otlp_logs', path: '/v1/logs', summary: "OpenTelemetry's logs, as JSON or protobuf." }),
  intake({
    id: 'otlp_logs_prefixed',
    path: '/otlp/v1/logs',
    summary: "OpenTelemetry's logs, as JSON or protobuf.",
  }),
];

const bulkPlaces = [
  ['', 'bulk'],
  ['/elasticsearch', 'elasticsearch_bulk'],
] as const;

export const bulkRoutes: readonly Intake[] = bulkPlaces.flatMap(([prefix, id]) => {
  const summary = "Elasticsearch's bulk requests: create and index.";
  const whole = { path: `${prefix}/_bulk`, summary };
  const named = { path: `${prefix}/{index}/_bulk`, summary };
  const typed = { path: `${prefix}/{index}/{type}/_bulk`, summary }; // as clients of earlier versions write it
  return [
    intake({ ...whole, id }),
    intake({ ...whole, id: `${id}_put`, method: 'PUT' }),
    withNames(intake({ ...named, id: `${id}_index` })),
    withNames(intake({ ...named, id: `${id}_index_put`, method: 'PUT' })),
    withNames(intake({ ...typed, id: `${id}_typed` })),
  ];
});

function withNames(route: Intake): Intake {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  return { ...route, params: Type.Object(Object.fromEntries(names.map(name => [name, Type.String()]))) };
}

export const elasticsearchRoutes = {
  root: greeting('elasticsearch', '/elasticsearch', 'As Elasticsearch greets its clients.'),
  rootSlash: greeting('elasticsearch_slash', '/elasticsearch/', 'As Elasticsearch greets its clients.'),
  license: greeting('elasticsearch_license', '/elasticsearch/_license', 'As shippers ask before they send.'),
  rootLicense: greeting('license', '/_license', 'As shippers ask before they send.'),
};

const clusterSummary =
  'Templates, policies and the like: what is missing is said to be, and what is brought is acknowledged.';

/** Whatever else shippers ask of a cluster; at the root, what begins with the sign of its own paths. */
export const clusterRoutes: readonly Intake[] = (
  [
    ['cluster', '/_{path*}'],
    ['elasticsearch', '/elasticsearch/{path*}'],
  ] as const
).flatMap(([id, path]) => {
  const place = { path, summary: clusterSummary };
  const params = Type.Object({ path: Type.String() });
  return [
    { ...question(`${id}_get`, { ...place, method: 'GET' }), params },
    { ...question(`${id}_delete`, { ...place, method: 'DELETE' }), params },
    { ...intake({ ...place, id: `${id}_put`, method: 'PUT' }), params },
    { ...intake({ ...place, id: `${id}_post` }), params },
  ];
});

/** What helpers of clients ask once they have sent; below the prefix it is one question of many. */
export const refreshRoutes: readonly Intake[] = [
  question('bulk_refresh', { path: '/{index}/_refresh', summary: clusterSummary, method: 'GET' }),
  intake({ id: 'bulk_refresh_post', path: '/{index}/_refresh', summary: clusterSummary }),
].map(withNames);

export const documentRoutes: readonly Intake[] = bulkPlaces.flatMap(([prefix, id]) => {
  const summary = "A document of Elasticsearch's alone.";
  const name = id.replace('bulk', 'document');
  const withId = (word: string) =>
    withNames(
      intake({ id: `${name}${word}`, path: `${prefix}/{index}/${word}/{id}`, summary, method: 'PUT' }),
    );
  return [
    withNames(intake({ id: name, path: `${prefix}/{index}/_doc`, summary })),
    withId('_doc'),
    withId('_create'),
  ];
});

function fivemerrUpload(type: MediaType): { type: MediaType; route: Intake } {
  const route = defineRoute({
    isForeign: true,
    id: `fivemerr_${type}`,
    method: 'POST',
    path: `/v1/media/${type}s`,
    area,
    summary: `Upload ${type}, as clients of Fivemerr do; the part is called file or data.`,
    access: { by: 'token', kinds: ['media'], action: 'write', apiKey: true, spelling: 'any' },
    stream: {
      'multipart/form-data': FivemerrForm,
      'application/json': FivemerrJson,
      'application/x-www-form-urlencoded': FivemerrJson,
      'text/plain': Type.String(),
    },
    answer: Type.Object({ url: Type.String(), id: Type.String() }),
    errors: [...uploadErrors],
  });
  return { type, route };
}

const FivemerrForm = Type.Object({ file: Type.String({ contentMediaType: 'application/octet-stream' }) });
const FivemerrJson = Type.Object({
  file: Type.String({ description: 'A data URL, or base64; also as data.' }),
});

export const fivemerrUploads = mediaTypes.map(fivemerrUpload);

export const datadogRoutes: readonly Intake[] = [
  intake({ id: 'datadog_logs', path: '/api/v2/logs', summary: "Datadog's logs." }),
  intake({ id: 'datadog_input', path: '/v1/input', summary: "Datadog's logs." }),
  intake({ id: 'datadog_input_key', path: '/v1/input/{token}', summary: "Datadog's logs.", inPath: true }),
];

export const datadogValidation = question('datadog_validate', {
  ...{ method: 'GET', path: '/api/v1/validate', summary: 'Whether a key is good.' },
});

export const splunkEventRoutes: readonly Intake[] = ['', '/event', '/event/1.0'].map((end, index) =>
  intake({
    id: `splunk_event${index === 0 ? '' : `_${index}`}`,
    path: `/services/collector${end}`,
    summary: "Events of Splunk's collector.",
  }),
);

export const splunkRawRoutes: readonly Intake[] = ['/raw', '/raw/1.0'].map((end, index) =>
  intake({
    id: `splunk_raw${index === 0 ? '' : `_${index}`}`,
    path: `/services/collector${end}`,
    summary: "Raw lines for Splunk's collector.",
  }),
);

export const splunkAckRoute = intake({
  id: 'splunk_ack',
  path: '/services/collector/ack',
  summary: 'Which events are safe: all that were answered.',
});

export const splunkHealthRoutes: readonly Route[] = ['/health', '/health/1.0'].map((end, index) =>
  greeting(
    `splunk_health${index === 0 ? '' : `_${index}`}`,
    `/services/collector${end}`,
    "The collector's health.",
  ),
);

const { isForeign: _, ...ownIntake } = intake({
  id: 'log_lines',
  path: '/api/v3/logs/lines',
  summary: 'Lines: JSON on each, a list, or plain text.',
});
const lineField = Type.Optional(
  Type.String({ description: 'The names under which it may stand in JSON, separated by commas.' }),
);

/** Of no other program: it answers as our own routes do. */
export const linesRoute = {
  ...ownIntake,
  area: 'Logs',
  query: Type.Object({
    dataset: Type.Optional(Type.String({ description: 'Dataset of entries that name none.' })),
    ...{ messageField: lineField, levelField: lineField, timeField: lineField, resourceField: lineField },
  }),
  stream: {
    'application/x-ndjson': Type.String({ description: 'JSON line by line.' }),
    'application/json': Type.Unknown({ description: 'An object, or a list of them.' }),
    'text/plain': Type.String({ description: 'A message on each line; JSON is found, too.' }),
  },
  answer: StatusOk,
};
