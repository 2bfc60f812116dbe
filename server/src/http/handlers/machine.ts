/** Handles the route that reports the state of the machine. */
import * as contract from '@tapedeck/contract/machine';
import type { Machine } from '@tapedeck/domain/operations/machine';
import { type HandledRoute, handle } from '../routing.ts';
import { writeInstant } from './jsonRecords.ts';

export type MachineRouteDeps = { lookAtMachine(): Promise<Machine> };

export function handleMachine({ lookAtMachine }: MachineRouteDeps): HandledRoute[] {
  return [
    handle(contract.getMachine, async () => {
      const { version, startedAt, disk, logs, backup, nodes, trouble } = await lookAtMachine();
      const { sinceAt, ...space } = disk;
      const { entries, bytes, oldestAt } = logs.waiting;
      return {
        version,
        startedAt: writeInstant(startedAt),
        disk: { ...space, since: writeOptional(sinceAt) },
        journal: { entries, bytes, oldestAt: writeOptional(oldestAt) },
        engine: {
          own: logs.isOwn,
          servers: logs.servers.map(({ isAnswering, ...server }) => ({ running: isAnswering, ...server })),
        },
        backup: backup && {
          endedAt: writeInstant(backup.endedAt),
          folder: backup.folder,
          bytes: backup.bytes,
          version: backup.version,
          parts: backup.parts,
        },
        nodes: nodes.map(({ name, state, version, startedAt, seenAt }) => ({
          name,
          state,
          version,
          startedAt: writeInstant(startedAt),
          seenAt: writeInstant(seenAt),
        })),
        trouble: [...trouble],
      };
    }),
  ];
}

function writeOptional(at: number | null): string | null {
  return at === null ? null : writeInstant(at);
}
