/** Formats the log engine's configuration file: its port, who may ask, and its limits on memory and threads. */

/** Shards reach each other over TCP, which only tests of clusters need. An embedded engine listens on HTTP alone. */
export type EngineCluster = {
  name: string;
  tcpPort: number;
  shards: readonly { host: string; tcpPort: number }[];
};

/** `file` is the configuration itself, because the engine reads its users from a file that has to be named. */
type KeptTable = { database: string; table: string; file: string };

type EngineConfiguration = {
  httpPort: number;
  /** Every answer contains it, so that no other server is taken for this engine. */
  displayName: string;
  secretHeader: { name: string; value: string };
  memoryBytesMax: number;
  logFile: string;
  cluster: EngineCluster | null;
  kept: KeptTable | null;
};

const logFileBytesMax = 4 * 1024 * 1024; // months of warnings; three files are kept, four at times
const logFilesKept = 2; // beside the current one

/** Shares of the memory for caches, a quarter in total. The rest is for queries, inserts and merges. */
const cacheShares = {
  mark_cache_size: 1 / 16,
  primary_index_cache_size: 1 / 16,
  index_mark_cache_size: 1 / 32,
  text_index_postings_cache_size: 1 / 32,
  text_index_tokens_cache_size: 1 / 64,
  text_index_header_cache_size: 1 / 64,
  query_condition_cache_size: 1 / 64,
  compiled_expression_cache_size: 1 / 64,
};

/** No merge begins while others hold this share of the memory. The rest is for queries and inserts. */
const mergingShare = 1 / 4;

/** Small pools: the engine shares the machine with the service, and one table needs few merges at a time. */
const pools = {
  background_pool_size: 2,
  background_merges_mutations_concurrency_ratio: 2,
  background_schedule_pool_size: 4,
  background_common_pool_size: 2,
  background_fetches_pool_size: 1,
  background_move_pool_size: 1,
  // Gives inserts and queries priority over merges, if the machine allows it.
  os_threads_nice_value_merge_mutate: 10,
  max_concurrent_queries: 200,
  max_connections: 512,
};

/** The engine refuses to start when these exceed its merge threads, four here. */
const mergeThresholds = {
  number_of_free_entries_in_pool_to_lower_max_size_of_merge: 2,
  number_of_free_entries_in_pool_to_execute_mutation: 1,
  number_of_free_entries_in_pool_to_execute_optimize_entire_partition: 2,
};

export function formatEngineConfiguration(configuration: EngineConfiguration): string {
  const { httpPort, displayName, secretHeader, memoryBytesMax, logFile, cluster, kept } = configuration;
  const caches = Object.entries(cacheShares).map(
    ([name, share]) => [name, Math.floor(memoryBytesMax * share)] as const,
  );
  return element('clickhouse', [
    element('listen_host', '127.0.0.1'),
    element('http_port', httpPort),
    element('display_name', displayName),
    element('timezone', 'UTC'),
    element('logger', [
      element('level', 'warning'),
      element('log', logFile),
      element('size', logFileBytesMax),
      element('count', logFilesKept),
    ]),
    formatHandlers(secretHeader),
    element('max_server_memory_usage', memoryBytesMax),
    element('merges_mutations_memory_usage_soft_limit', Math.floor(memoryBytesMax * mergingShare)),
    ...caches.map(([name, bytes]) => element(name, bytes)),
    ...Object.entries(pools).map(([name, value]) => element(name, value)),
    element(
      'merge_tree',
      Object.entries(mergeThresholds).map(([name, value]) => element(name, value)),
    ),
    ...(cluster === null ? [] : formatCluster(cluster)),
    ...(kept === null ? [] : formatUsers(kept)),
  ]);
}

/** The only user may do everything, but neither drop, detach, rename nor replace the kept table. */
function formatUsers({ database, table, file }: KeptTable): string[] {
  const grants = [
    'GRANT ALL ON *.*',
    `REVOKE DROP TABLE ON ${database}.${table}`,
    `REVOKE DROP DATABASE ON ${database}.*`,
  ];
  const user = [
    element('no_password', ''),
    element('networks', [element('ip', '127.0.0.1'), element('ip', '::1')]),
    element('profile', 'default'),
    element('quota', 'default'),
    element(
      'grants',
      grants.map(grant => element('query', grant)),
    ),
  ];
  return [
    element('users_config', file),
    element('profiles', [element('default', '')]),
    element('quotas', [element('default', '')]),
    element('users', [element('default', user)]),
  ];
}

/** The only rule demands the secret: every other request gets 404. */
function formatHandlers(secretHeader: { name: string; value: string }): string {
  return element('http_handlers', [
    element('rule', [
      element('headers', [element(secretHeader.name, secretHeader.value)]),
      element('handler', [element('type', 'dynamic_query_handler'), element('query_param_name', 'query')]),
    ]),
  ]);
}

function formatCluster(cluster: EngineCluster): string[] {
  const shards = cluster.shards.map(shard =>
    element('shard', [element('replica', [element('host', shard.host), element('port', shard.tcpPort)])]),
  );
  return [element('tcp_port', cluster.tcpPort), element('remote_servers', [element(cluster.name, shards)])];
}

function element(name: string, content: string | number | readonly string[]): string {
  if (typeof content === 'number') return `<${name}>${content}</${name}>`;
  if (typeof content === 'string') return `<${name}>${escapeText(content)}</${name}>`;
  return `<${name}>\n${content.join('\n')}\n</${name}>`;
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
