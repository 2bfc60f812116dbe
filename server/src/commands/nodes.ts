/** `tapedeck node …`: lists the nodes that share the database, and declares a node dead. */
import { printTable } from '@tapedeck/command-line';
import { describeNodeState, type Forgotten, forgetNode } from '@tapedeck/domain/operations/nodes';
import { type Command, withStore } from './command.ts';

export const nodeList: Command = {
  name: 'node list',
  usage: '',
  about: 'List the nodes that share the database.',
  options: {},
  run: async config => {
    if (config.database.kind === 'sqlite')
      return { text: 'The database is in the data directory, so there is only one node.', json: [] };
    const nodes = await withStore(config, async ({ store, clock }) =>
      (await store.read.nodes.list()).map(node => ({
        name: node.name,
        state: describeNodeState(node, clock.now()),
        version: node.version,
        startedAt: new Date(node.startedAt).toISOString(),
        seenAt: new Date(node.seenAt).toISOString(),
        waitingEntries: node.waitingEntries,
      })),
    );
    const rows = nodes.map(({ waitingEntries, ...node }) => [...Object.values(node), String(waitingEntries)]);
    const head = ['name', 'state', 'version', 'started', 'last seen', 'entries on its disk'];
    return { text: nodes.length === 0 ? 'No node has been seen yet.' : printTable(head, rows), json: nodes };
  },
};

export const nodeForget: Command = {
  name: 'node forget',
  usage: 'NAME [--force]',
  about: 'Declare a node dead, so that other nodes can take over its work at once.',
  options: { force: { type: 'boolean', about: 'even if the node was seen in the last 30 seconds' } },
  positionals: { min: 1, max: 1 },
  run: async (config, given) => {
    const [name = ''] = given.positionals;
    const forgotten = await withStore(config, deps => forgetNode(deps, name, given.flag('force')));
    const { freed, waitingEntries } = forgotten;
    return { text: describeForgotten(forgotten), json: { name, forgotten: true, freed, waitingEntries } };
  },
};

function describeForgotten({ name, freed: { leases, claims }, waitingEntries }: Forgotten): string {
  const lines = [
    `The node ${name} is forgotten: ${leases} leases and ${claims} open claims on Idempotency-Keys are free.`,
  ];
  if (waitingEntries > 0) {
    lines.push(
      `When it was last seen, ${waitingEntries} acknowledged log entries waited on its disk. They are in ClickHouse once a node ` +
        'has been started with that data directory; if the disk is gone, they are.',
    );
  }
  return lines.join('\n');
}
