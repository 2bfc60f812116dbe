/** Addresses of ClickHouse: the embedded engine, or servers by their URLs. */
import { LogStoreFailure } from '../../failures.ts';
import type { Endpoint } from '../engine/requests.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { type Shard, shardMark } from '../flushing/shardQueue.ts';
import type { LogServers } from './logServers.ts';
import { openShardList, type ShardList } from './shardList.ts';

export type LogsConfig =
  | { kind: 'embedded'; directory: string }
  | { kind: 'clickhouse'; urls: readonly string[]; cluster: string | null };

export type RemoteConfig = Extract<LogsConfig, { kind: 'clickhouse' }>;

/** Reaches other nodes' servers with the user and password of this node's first server. */
export function listShards({ urls }: RemoteConfig, known: LogServers | undefined): ShardList {
  const [first, ...others] = urls.map(reachServer);
  const headers = first!.access.endpoint()?.headers ?? {};
  const reach = (url: string): EngineAccess => ({
    endpoint: () => ({ url, headers }),
    onUp: () => () => undefined,
  });
  return openShardList([first!, ...others], { known, reach });
}

/** Moves user and password from the URL into headers, because URLs are logged and headers are not. */
export function reachServer(text: string): Shard {
  const url = new URL(text);
  const headers = {
    ...(url.username !== '' && { 'x-clickhouse-user': encodeForHeader(url.username) }),
    ...(url.password !== '' && { 'x-clickhouse-key': encodeForHeader(url.password) }),
  };
  url.username = '';
  url.password = '';
  if (url.host === '') throw new LogStoreFailure('unavailable', 'TAPEDECK_CLICKHOUSE_URL must name a host.');
  const endpoint: Endpoint = { url: url.href.replace(/\/$/, ''), headers };
  return { url: endpoint.url, access: { endpoint: () => endpoint, onUp: () => () => undefined } };
}

/** Returns the marks of the shards at these URLs. */
export function markShards(urls: readonly string[]): string[] {
  return urls.map(url => shardMark(reachServer(url).url));
}

/** Headers hold bytes, and ClickHouse reads them as UTF-8. */
function encodeForHeader(encoded: string): string {
  return Buffer.from(decodeURIComponent(encoded)).toString('latin1');
}
