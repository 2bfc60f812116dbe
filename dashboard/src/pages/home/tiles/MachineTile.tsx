/** Shows owners the state of the machine. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { countThings } from '../../../format/numbers.ts';
import { formatBytes } from '../../../format/sizes.ts';
import { type Machine, machineQuery } from '../../../queries/machine.ts';
import { Timestamp } from '../../../ui/Timestamp.tsx';
import { describeDisk } from '../forecast.ts';
import { Figure, Tile } from './Tile.tsx';

const dayMs = 86_400_000;
const namedNodesMax = 12; // with more nodes, the tile names only those that are down
const backupDaysMax = 8; // backups run weekly; one day of delay is fine

export function MachineTile() {
  const found = useQuery(machineQuery);
  return (
    <Tile title="This machine" found={found} className="md:col-span-2">
      {machine => <Parts {...machine} />}
    </Tile>
  );
}

function Parts({ disk, journal, engine, backup, nodes, trouble, version, startedAt }: Machine) {
  const used = disk.totalBytes - disk.freeBytes;
  return (
    <>
      <Figure figure={`${formatBytes(disk.freeBytes)} free`}>
        of {formatBytes(disk.totalBytes)} of disk
      </Figure>
      <div aria-hidden="true" className="h-2.5 overflow-hidden rounded-full bg-well">
        <span
          className="block h-full rounded-full bg-edge"
          style={{ width: `${(100 * used) / disk.totalBytes}%` }}
        />
      </div>
      <p className="text-sm text-muted">{describeDisk(disk)}</p>
      {trouble.map(({ name, sentence }) => (
        <p key={name} className="text-sm text-danger">
          {sentence}
        </p>
      ))}
      <dl className="grid gap-x-6 gap-y-2 pt-1 text-sm sm:grid-cols-2">
        <Part name="Log engine">
          <Engine {...engine} />
        </Part>
        <Part name="Journal">
          {journal.entries === 0
            ? 'Queue empty'
            : `${countThings(journal.entries, 'entry', 'entries')} waiting, ${formatBytes(journal.bytes)}`}
          {journal.oldestAt && journal.entries > 0 && (
            <>
              , the oldest from <Timestamp at={journal.oldestAt} />
            </>
          )}
        </Part>
        <Part name="Last backup">
          <Backup backup={backup} />
        </Part>
        <Part name="Version">
          {version}, started <Timestamp at={startedAt} />
        </Part>
      </dl>
      {nodes.length > 0 && <Nodes nodes={nodes} />}
    </>
  );
}

/** Lists all nodes; the tile above describes the node that answered. */
function Nodes({ nodes }: Pick<Machine, 'nodes'>) {
  const running = nodes.filter(({ state }) => state === 'running');
  const shown = nodes.length > namedNodesMax ? nodes.filter(({ state }) => state !== 'running') : nodes;
  return (
    <section className="grid gap-1 border-edge border-t pt-3 text-sm">
      <h3 className="text-muted">
        {running.length === nodes.length
          ? `${countThings(nodes.length, 'node', 'nodes')} running`
          : `${running.length} of ${countThings(nodes.length, 'node', 'nodes')} running`}
      </h3>
      <ul className="grid gap-1">
        {shown.map(({ name, state, version, seenAt }) => (
          <li key={name} className="wrap-anywhere">
            <span className="font-mono">{name}</span> <span className="text-muted">{version}</span>
            {state === 'silent' && (
              <span className="text-danger">
                , last seen <Timestamp at={seenAt} />. To remove it:{' '}
                <code className="font-mono">tapedeck node forget {name}</code>
              </span>
            )}
            {state === 'stopped' && (
              <span className="text-muted">
                , stopped <Timestamp at={seenAt} />
              </span>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Part({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-muted">{name}</dt>
      <dd className="text-pretty wrap-anywhere">{children}</dd>
    </div>
  );
}

function Engine({ own, servers }: Machine['engine']) {
  const running = servers.filter(server => server.running);
  if (running.length < servers.length) {
    const words = own
      ? 'Not responding'
      : `${running.length} of ${countThings(servers.length, 'server')} responding`;
    return <span className="text-danger">{words}</span>;
  }
  const memory = running.reduce((sum, { memoryBytes }) => sum + (memoryBytes ?? 0), 0);
  const name = own ? 'Running' : `${countThings(servers.length, 'server')} running`;
  return `${name}, ${formatBytes(memory)} memory, ClickHouse ${running[0]?.version ?? ''}`;
}

function Backup({ backup }: Pick<Machine, 'backup'>) {
  if (backup === null)
    return (
      <>
        <span className="text-accent">Never.</span> Create one:{' '}
        <code className="font-mono">tapedeck backup DIR</code>
      </>
    );
  const isOld = Date.now() - Date.parse(backup.endedAt) > backupDaysMax * dayMs;
  return (
    <span title={backup.folder}>
      <span className={isOld ? 'text-accent' : ''}>
        <Timestamp at={backup.endedAt} />
      </span>
      , {formatBytes(backup.bytes)}
    </span>
  );
}
