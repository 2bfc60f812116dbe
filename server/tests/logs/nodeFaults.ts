/** A set of nodes on a database, a bucket and ClickHouse shards, with writers, and the faults that can hit each process. */
import { rm } from 'node:fs/promises';
import { installationSettings, signIn } from '../durability/installation.ts';
import { type Load, type LoadTarget, startLoad } from '../durability/load.ts';
import { startDatabaseRelay } from '../support/databaseRelay.ts';
import { startWriters, type Writers } from '../support/logWriters.ts';
import { makeDirectory } from '../support/service.ts';
import { type ServiceProcess, startProcess } from '../support/tapedeck.ts';
import { startSharedStores } from './sharedJournal.ts';

const load = { writers: 2, rowsMax: 30 };
const othersPauseMs = 200; // slow, so that entries dominate the nodes' work
const heldUpMs = 5_000; // longer than any lease, so that other nodes take over its work

type Stores = Awaited<ReturnType<typeof startSharedStores>>;

export type SetNode = {
  target: LoadTarget;
  writers: Writers;
  /** Clients that store files, create tokens and upload in pieces; null if only entries are sent. */
  others: Load | null;
  /** It accepts requests. */
  isThere: boolean;
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Freezes it or cuts its way to the database; returns the function that ends that. */
  freeze(): () => void;
  cut(): () => void;
};

/** `begin` starts the fault and resolves to the function that ends it. */
type Victim = { name: string; heldMs: number; begin(): Promise<() => Promise<void>> };

export type VictimKind = 'killed' | 'held up';

const nowhere = 'http://127.0.0.1:9';

/** `pauseMs`: how long each writer waits between two batches. */
export type SetSize = { nodes: number; shards: number; hasOthers: boolean; pauseMs: number };

export async function startSet(size: SetSize, opened: AsyncDisposableStack, onAcknowledged: () => void) {
  const stores = opened.use(await startSharedStores(size.shards));
  const nodes = await Promise.all(
    Array.from({ length: size.nodes }, (_, index) =>
      openNode(stores, opened, { index, onAcknowledged, ...size }),
    ),
  );
  return { nodes, victims: { killed: listKilled(stores, nodes), 'held up': listHeldUp(stores, nodes) } };
}

type NodeOptions = SetSize & { index: number; onAcknowledged: () => void };

async function openNode(
  stores: Stores,
  opened: AsyncDisposableStack,
  { index, onAcknowledged, hasOthers, pauseMs }: NodeOptions,
): Promise<SetNode> {
  const target: LoadTarget = { url: nowhere, token: stores.token, cookie: '' };
  const relay = opened.use(await startDatabaseRelay(stores.postgres.urlOf('postgres')));
  const directory = opened.use(await makeDirectory()).path;
  let service: ServiceProcess | null = null;
  const kill = async () => {
    target.url = nowhere;
    node.isThere = false;
    await service?.[Symbol.asyncDispose]();
    await rm(directory, { recursive: true, force: true, maxRetries: 20 });
  };
  const start = async () => {
    const shared = { ...stores.settings(), TAPEDECK_DATABASE_URL: relay.url };
    const settings = { ...(hasOthers && installationSettings), ...shared };
    service = await startProcess({ ...settings, TAPEDECK_DATA_DIR: directory });
    if (hasOthers && target.cookie === '') target.cookie = (await signIn(service.url)).cookie;
    target.url = service.url;
    node.isThere = true;
  };
  const freeze = () => {
    const pid = service!.child.pid!; // the process was started
    node.isThere = false;
    process.kill(pid, 'SIGSTOP');
    return () => {
      process.kill(pid, 'SIGCONT');
      node.isThere = true;
    };
  };
  const cut = () => {
    const away = relay.cut();
    return () => away[Symbol.dispose]();
  };
  const toWrite = { ...load, pauseMs, prefix: `node${index}`, onAcknowledged };
  const writers = opened.use(startWriters(target, toWrite));
  const ofOthers = { prefix: `others${index}`, writers: 0, pauseMs: othersPauseMs };
  const others = hasOthers ? opened.use(startLoad(target, ofOthers)) : null;
  const node: SetNode = { target, writers, others, isThere: false, kill, start, freeze, cut };
  opened.defer(kill);
  await start();
  return node;
}

/** Lists the nodes, which lose their disks, among the processes to kill. */
function listKilled({ postgres, swift, shards }: Stores, nodes: readonly SetNode[]): Victim[] {
  const victim = (name: string, crash: () => Promise<void>, recover: () => Promise<void>): Victim => ({
    name,
    heldMs: 0,
    begin: async () => {
      await crash();
      return recover;
    },
  });
  return [
    ...nodes.map(({ kill, start }, index) => victim(`node ${index}`, kill, start)),
    victim('database', postgres.crash, postgres.restart),
    victim('bucket', swift.crash, swift.restart),
    ...shards.engines.map((engine, index) => {
      const crash = async () => {
        const pid = engine.processId();
        if (pid !== null) process.kill(pid, 'SIGKILL');
      };
      return victim(`shard ${index}`, crash, async () => {}); // it restarts at once
    }),
  ];
}

function listHeldUp({ postgres, shards }: Stores, nodes: readonly SetNode[]): Victim[] {
  const victim = (name: string, begin: () => () => void): Victim => ({
    name,
    heldMs: heldUpMs,
    begin: async () => {
      const end = begin();
      return async () => end();
    },
  });
  return [
    ...nodes.map(({ freeze }, index) => victim(`node ${index} is frozen`, freeze)),
    ...nodes.map(({ cut }, index) => victim(`node ${index} is cut off`, cut)),
    victim('database is frozen', postgres.freeze),
    ...shards.engines.map((engine, index) =>
      victim(`shard ${index} is frozen`, () => {
        const pid = engine.processId();
        if (pid === null) return () => {}; // it is just starting
        process.kill(pid, 'SIGSTOP');
        return () => {
          process.kill(pid, 'SIGCONT');
        };
      }),
    ),
  ];
}
