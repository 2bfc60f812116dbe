/**
 * Answers the other requests of Elasticsearch clients, most of which come before the first bulk request. The service has no templates, policies or
 * pipelines: it answers 404 to reads and acknowledges attempts to create them.
 */

type ClusterQuestion = {
  method: string;
  /** The path below the cluster's address, without a leading slash or a query. */
  path: string;
  /** The headers that tell which version the client expects. */
  accept: string;
  userAgent: string;
};

type ClusterAnswer = { status: number; body: object | string };

const clusterName = 'tapedeck';
const usualVersion = '8.17.0';
const versionOfNine = '9.1.0';
const acknowledged = { acknowledged: true };
const allShards = { _shards: { total: 1, successful: 1, failed: 0 } };

/** Some clients refuse to send to a server that is older than they are. */
function chooseVersion({ accept, userAgent }: ClusterQuestion): string {
  const [, major, rest] = /beat\/(\d+)(\.\d+\.\d+)/i.exec(userAgent) ?? [];
  if (Number(major) > 8) return `${major}${rest}`;
  return /compatible-with=9/.test(accept) ? versionOfNine : usualVersion;
}

type Answer = (question: ClusterQuestion, host: string) => object | string;

const epoch = new Date(0).toISOString();

/** Typed clients require every field that Elasticsearch always sends. */
const license = {
  license: {
    status: 'active',
    type: 'basic',
    mode: 'basic',
    uid: clusterName,
    issue_date: epoch,
    issue_date_in_millis: 0,
    start_date_in_millis: -1,
    max_nodes: 1000,
    issued_to: clusterName,
    issuer: clusterName,
  },
};

const greet: Answer = question => ({
  name: clusterName,
  cluster_name: clusterName,
  cluster_uuid: clusterName,
  version: {
    number: chooseVersion(question),
    build_flavor: 'default',
    build_type: 'docker',
    build_hash: clusterName,
    build_date: epoch,
    build_snapshot: false,
    lucene_version: '9.12.0',
    minimum_wire_compatibility_version: '7.17.0',
    minimum_index_compatibility_version: '7.0.0',
  },
  tagline: 'You Know, for Search',
});

const describeHealth: Answer = () => ({
  cluster_name: clusterName,
  status: 'green',
  timed_out: false,
  number_of_nodes: 1,
  number_of_data_nodes: 1,
  active_primary_shards: 1,
  active_shards: 1,
  relocating_shards: 0,
  initializing_shards: 0,
  unassigned_shards: 0,
  unassigned_primary_shards: 0,
  delayed_unassigned_shards: 0,
  active_shards_percent_as_number: 100,
  number_of_pending_tasks: 0,
  number_of_in_flight_fetch: 0,
  task_max_waiting_in_queue_millis: 0,
});

const describeNodes: Answer = (question, host) => {
  const version = chooseVersion(question);
  const node = {
    name: clusterName,
    version,
    roles: ['data', 'ingest', 'master'],
    host,
    plugins: [],
    http: { publish_address: host, bound_address: [host] },
    ingest: { processors: [] },
  };
  return { _nodes: allShards._shards, cluster_name: clusterName, nodes: { [clusterName]: node } };
};

const feature = { available: true, enabled: true };

/** Definitions that clients may store under a name. */
const definitions =
  '(?:_index_template|_template|_component_template|_ilm/policy|_slm/policy|_ingest/pipeline|_data_stream|_alias)';
/** An index in angle brackets contains a date, which may hold slashes. */
const index = '(?:<[^>]*>|[^_/<][^/]*)';

/** The first entry with a matching method and path answers. */
const answers: readonly [methods: string, path: RegExp, answer: Answer][] = [
  ['GET HEAD', /^$/, greet],
  ['GET HEAD', /^(?:_xpack\/|)_?license$/, () => license],
  [
    'GET HEAD',
    /^_xpack$/,
    () => ({ ...license, features: { ilm: feature, security: feature }, tagline: 'You know, for X' }),
  ],
  ['GET HEAD', /^_cluster\/health(?:\/[^/]+)?$/, describeHealth],
  ['GET HEAD', /^_nodes(?:\/|$)/, describeNodes],
  ['GET HEAD', /^_cat\/nodes$/, question => `${chooseVersion(question)}\n`],
  ['GET HEAD', /^_cat\/[^/]+(?:\/[^/]+)?$/, () => ''],
  ['GET HEAD', /^_ingest\/pipeline$/, () => ({})],
  ['PUT POST', new RegExp(`^${definitions}/[^/]+$`), () => acknowledged],
  ['POST', /^_aliases$/, () => acknowledged],
  [
    'GET HEAD',
    new RegExp(`^${index}$`),
    ({ path }) => ({ [path]: { aliases: {}, mappings: {}, settings: {} } }),
  ],
  [
    'PUT',
    new RegExp(`^${index}$`),
    ({ path }) => ({ ...acknowledged, shards_acknowledged: true, index: path }),
  ],
  ['PUT POST', new RegExp(`^${index}/(?:_mapping|_settings|_alias(?:es)?/[^/]+)$`), () => acknowledged],
  ['GET POST', new RegExp(`^(?:${index}/)?(?:_refresh|_flush)$`), () => allShards],
];

const missing = new RegExp(`^(?:${index}/)?${definitions}/[^/]+$`);

/** Returns null for unknown requests. `host` is the address that clients get for the nodes. */
export function answerCluster(question: ClusterQuestion, host: string): ClusterAnswer | null {
  const { method, path } = question;
  const found = answers.find(
    ([methods, pattern]) => methods.split(' ').includes(method) && pattern.test(path),
  );
  if (found !== undefined) return { status: 200, body: found[2](question, host) };
  if (!missing.test(path) || (method !== 'GET' && method !== 'HEAD')) return null;
  return {
    status: 404,
    body: formatClusterFailure('resource_not_found_exception', `[${path}] missing`, 404),
  };
}

/** Writes a failure's reason in the form that clients expect. */
export function formatClusterFailure(type: string, reason: string, status: number): object {
  const error = { type, reason };
  return { error: { root_cause: [error], ...error }, status };
}

/** Turns a single document into a bulk request. Line breaks between its tokens become blanks. */
export function wrapDocument(body: Buffer, place: { index: string; id: string | null }): Buffer {
  const action = { create: { _index: place.index, ...(place.id !== null && { _id: place.id }) } };
  const document = Buffer.from(body);
  for (const sign of [0x0a, 0x0d]) {
    for (let at = document.indexOf(sign); at !== -1; at = document.indexOf(sign, at + 1)) document[at] = 0x20;
  }
  return Buffer.concat([Buffer.from(`${JSON.stringify(action)}\n`), document]);
}
