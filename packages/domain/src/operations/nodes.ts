/** Nodes that share a database. Each sends heartbeats; an operator can declare one dead. */
import { createHash } from 'node:crypto';
import type { Clock } from '../ports/clock.ts';
import type { MetadataStore } from '../ports/metadata.ts';
import type { NodeRecord } from '../ports/nodes.ts';
import { ServiceError } from '../vocabulary.ts';
import { clockErrorMsMax, holder } from './leases.ts';

export type NodeState = 'running' | 'silent' | 'stopped';

export const beatIntervalMs = 10_000;
const silentAfterMs = 3 * beatIntervalMs; // a busy database or machine can delay one or two heartbeats
const stoppedKeptMs = 7 * 86_400_000; // each new container has a new name

type Deps = { store: Pick<MetadataStore, 'read' | 'write'>; clock: Clock };

type Place = { hostname: string; dataDir: string };

/** The name includes the data directory, because several nodes can run on one machine. */
export function nameNode({ hostname, dataDir }: Place): string {
  return `${hostname}-${createHash('sha256').update(dataDir).digest('hex').slice(0, 4)}`;
}

type Beat = Pick<NodeRecord, 'name' | 'version' | 'journalId' | 'startedAt' | 'stoppedAt' | 'waitingEntries'>;

/** Records that the node is running or has just stopped. */
export async function recordNode({ store, clock }: Deps, beat: Beat): Promise<void> {
  const seenAt = clock.now();
  await store.write(async ({ nodes }) => {
    await nodes.put({ ...beat, runId: holder, seenAt });
    await nodes.removeStopped(seenAt - stoppedKeptMs);
  });
}

export function describeNodeState({ stoppedAt, seenAt }: NodeRecord, now: number): NodeState {
  if (stoppedAt !== null) return 'stopped';
  const isSilent = now - seenAt > silentAfterMs || seenAt - now > clockErrorMsMax; // its clock may have been ahead
  return isSilent ? 'silent' : 'running';
}

export type Forgotten = NodeRecord & { freed: { leases: number; claims: number } };

/** Frees everything that the node held. A node that is still alive registers again, holding nothing. */
export async function forgetNode(
  { store, clock }: Deps,
  name: string,
  isForced: boolean,
): Promise<Forgotten> {
  return await store.write(async ({ nodes }) => {
    const known = await nodes.list();
    const node = known.find(each => each.name === name);
    if (node === undefined) {
      const names = known.map(each => each.name).join(', ');
      throw new ServiceError(
        'not_found',
        names === '' ? 'No node is known.' : `There is no node ${name}; there are ${names}.`,
      );
    }
    const now = clock.now();
    if (describeNodeState(node, now) === 'running' && !isForced) {
      const seconds = Math.max(0, Math.round((now - node.seenAt) / 1000));
      throw new ServiceError(
        'node_running',
        `The node ${name} was seen ${seconds} s ago: stop it first, or wait until it has been silent for ${silentAfterMs / 1000} s. With --force it is forgotten at once, and comes back if it is still running.`,
      );
    }
    const freed = await nodes.free(node);
    await nodes.remove(name);
    return { ...node, freed };
  });
}
