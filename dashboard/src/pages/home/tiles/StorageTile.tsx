/** Shows storage by kind, and how long the quota will last. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { countThings } from '../../../format/numbers.ts';
import { formatBytes } from '../../../format/sizes.ts';
import { useProject } from '../../../queries/projects.ts';
import { type Storage, storageQuery } from '../../../queries/storage.ts';
import { isRoleAtLeast } from '../../../roles.ts';
import { describeQuota } from '../forecast.ts';
import { Figure, type Place, Tile } from './Tile.tsx';

/** `isAlone`: it has the row to itself. */
export function StorageTile({ project, isAlone }: { project: string; isAlone: boolean }) {
  const found = useQuery(storageQuery(project));
  return (
    <Tile
      title="Storage"
      link={{ to: '/projects/$project/files', params: { project } }}
      found={found}
      className={isAlone ? 'md:col-span-2 xl:col-span-3' : 'md:col-span-2 xl:col-span-1'}
    >
      {storage => <Kinds project={project} storage={storage} isAlone={isAlone} />}
    </Tile>
  );
}

type Kind = { name: string; fill: string; bytes: number; items: string; link: Place };

type KindsProps = { project: string; storage: Storage; isAlone: boolean };

function Kinds({ project, storage, isAlone }: KindsProps) {
  const kinds = listKinds(project, storage.kinds);
  const bytes = kinds.reduce((sum, kind) => sum + kind.bytes, 0);
  const { bytesMax } = storage;
  return (
    <>
      <Figure figure={formatBytes(bytes)}>
        {bytesMax !== null && `file quota ${formatBytes(bytesMax)}`}
      </Figure>
      <div aria-hidden="true" className="flex h-2.5 gap-px overflow-hidden rounded-full bg-well">
        {kinds.map(
          ({ name, fill, bytes: part }) =>
            part > 0 && (
              <span key={name} className="min-w-1" style={{ flexGrow: part, background: `var(${fill})` }} />
            ),
        )}
      </div>
      <ul
        className={`grid grid-cols-2 gap-x-6 gap-y-1 text-sm md:grid-cols-4 ${isAlone ? '' : 'xl:grid-cols-2'}`}
      >
        {kinds.map(({ name, fill, link, items, bytes: part }) => (
          <li key={name}>
            <Link
              {...link}
              className="relative grid grid-cols-[minmax(0,1fr)] content-center rounded-sm hover:bg-well/60"
            >
              <span className="flex items-center gap-2">
                <span
                  aria-hidden="true"
                  className="size-2 rounded-full"
                  style={{ background: `var(${fill})` }}
                />
                {name}
              </span>
              <span className="font-medium tabular-nums">{formatBytes(part)}</span>
              <span className="block truncate text-[0.8rem] text-muted">{items}</span>
            </Link>
          </li>
        ))}
      </ul>
      <p className="text-sm text-muted">
        {describeQuota(storage)} {bytesMax !== null && <AlertLink project={project} />}
      </p>
    </>
  );
}

/** Links admins to a new rule that fires before the quota is full. */
function AlertLink({ project }: { project: string }) {
  if (!isRoleAtLeast(useProject(project).role, 'admin')) return null;
  return (
    <Link
      to="/projects/$project/alerts/new"
      params={{ project }}
      search={{ want: 'storage' }}
      className="whitespace-nowrap underline decoration-edge underline-offset-3 hover:decoration-ink"
    >
      Alert me before it is full
    </Link>
  );
}

function listKinds(project: string, { image, video, audio, logs }: Storage['kinds']): Kind[] {
  const params = { project };
  const files = (type: 'image' | 'video' | 'audio', count: number) => ({
    items: countThings(count, 'file'),
    link: { to: '/projects/$project/files', params, search: { type } } as const,
  });
  return [
    { name: 'Images', fill: '--series-1', bytes: image.bytes, ...files('image', image.files) },
    { name: 'Videos', fill: '--series-4', bytes: video.bytes, ...files('video', video.files) },
    { name: 'Audio', fill: '--series-3', bytes: audio.bytes, ...files('audio', audio.files) },
    {
      name: 'Logs',
      fill: '--series-2',
      bytes: logs.bytes,
      items: countThings(logs.entries, 'entry', 'entries'),
      link: { to: '/projects/$project/datasets', params },
    },
  ];
}
