/**
 * Lists the shards of a node. The node writes to those in its settings, and also queries those that other nodes know. So
 * nodes with longer and shorter lists work side by side while a cluster grows or shrinks.
 */
import type { Endpoint } from '../engine/requests.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import type { Shard } from '../flushing/shardQueue.ts';
import { type ClusterMembers, identifyServer } from './cluster.ts';
import type { LogServers } from './logServers.ts';

export type ShardList = {
  /** One server of each known shard; grows. */
  readonly all: readonly [EngineAccess, ...EngineAccess[]];
  readonly listed: readonly EngineAccess[];
  /** The shards that this node writes to. A server that is new to the installation waits until all nodes query it. */
  readonly lanes: readonly Shard[];
  /** Tells other nodes about this node's servers, and learns about theirs. */
  join(members: ClusterMembers, signal: AbortSignal | undefined): Promise<void>;
};

/** Other nodes look every ten seconds. */
const newsMs = 15_000;
const answerMsMax = 1_000;

export function openShardList(
  listed: readonly [Shard, ...Shard[]],
  { known, reach }: { known: LogServers | undefined; reach: (url: string) => EngineAccess },
): ShardList {
  const [first, ...others] = listed.map(({ access }) => access);
  const all: [EngineAccess, ...EngineAccess[]] = [first!, ...others];
  const opensAt = new Map<string, number>();
  const joined = new Set<string>();
  const lanes = listed.map(({ url, access }) => ({ url, access: openLater(access, () => opensAt.get(url)) }));
  return {
    all,
    listed: listed.map(({ access }) => access),
    lanes,
    async join(members, signal) {
      if (known === undefined) return;
      const addresses = await known.listAddresses();
      const mine = listed.map(({ url }, index) => ({ url, identity: members.listed[index]! }));
      const news = mine.filter(
        ({ url, identity }) => !addresses.some(one => one.url === url && one.identity === identity),
      );
      if (news.length > 0) {
        const since = addresses.length === 0 ? 0 : Date.now(); // a new installation needs no warning
        await known.putAddresses(news.map(server => ({ ...server, since })));
      }
      for (const { url, since } of news.length > 0 ? await known.listAddresses() : addresses)
        opensAt.set(url, since + newsMs);
      const served = new Set([...members.listed, ...joined]);
      for (const { url, identity } of addresses) {
        if (identity === null || served.has(identity) || !members.all.has(identity)) continue;
        const access = reach(url);
        if ((await identify(access, signal)) !== identity) continue; // the address belongs to another server by now
        joined.add(identity);
        served.add(identity);
        all.push(access);
      }
    },
  };
}

async function identify(access: EngineAccess, signal: AbortSignal | undefined): Promise<string> {
  const late = AbortSignal.timeout(answerMsMax);
  return await identifyServer(access, signal === undefined ? late : AbortSignal.any([signal, late]));
}

/** Reports the server as away until that time. */
function openLater(access: EngineAccess, readTime: () => number | undefined): EngineAccess {
  const endpoint = (): Endpoint | null => ((readTime() ?? 0) > Date.now() ? null : access.endpoint());
  return { endpoint, onUp: listener => access.onUp(listener) };
}
