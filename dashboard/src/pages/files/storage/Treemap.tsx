/** Draws areas by size, with links. A table beside it has the same data in words. */
import { Link } from '@tanstack/react-router';
import { isolate } from '../../../format/direction.ts';
import { countThings } from '../../../format/numbers.ts';
import { formatBytes } from '../../../format/sizes.ts';
import type { FileSearch } from '../search.ts';
import { layOutTreemap, type Rectangle } from './treemap.ts';

export type StoredPart = {
  id: string;
  name: string;
  files: number;
  bytes: number;
  /** A CSS custom property with the colour. */
  fill?: string;
  /** The search for its files; null if there is none. */
  search: FileSearch | null;
};

const ratio = 2.4; // the usual width to height; tiles get wider in a lower box
const heightMax = '20rem'; // leaves the start of the table on the first screen
const namedPart = 0.07; // share of a side; smaller tiles have no room for text

type TreemapProps = { project: string; label: string; parts: readonly StoredPart[] };

export function Treemap({ project, label, parts }: TreemapProps) {
  const tiles = layOutTreemap(parts, ratio);
  return (
    <ul
      aria-label={label}
      className="relative w-full"
      style={{ height: `min(${heightMax}, ${100 / ratio}cqw)` }}
    >
      {tiles.map(({ item, ...place }) => (
        <li key={item.id} className="absolute p-0.5" style={writePlace(place)}>
          <Tile project={project} part={item} isNamed={place.width > namedPart && place.height > namedPart} />
        </li>
      ))}
    </ul>
  );
}

const tileStyle =
  'grid size-full content-start overflow-hidden rounded-md border border-edge p-1.5 text-[0.82rem]';

function Tile({ project, part, isNamed }: { project: string; part: StoredPart; isNamed: boolean }) {
  const { name, files, bytes, fill = '--series-2', search } = part;
  const style = { background: `color-mix(in oklab, var(${fill}) 22%, var(--panel))` };
  const size = `${countThings(files, 'file')}, ${formatBytes(bytes)}`;
  const words = (
    <>
      <bdi className={isNamed ? 'truncate font-medium' : 'sr-only'}>{name}</bdi>
      <span className={isNamed ? 'truncate' : 'sr-only'}>{size}</span>
    </>
  );
  const title = `${isolate(name)}: ${size}`;
  if (search === null)
    return (
      <span title={title} style={style} className={`${tileStyle} border-dashed`}>
        {words}
      </span>
    );
  return (
    <Link
      to="/projects/$project/files"
      params={{ project }}
      search={search}
      title={title}
      style={style}
      className={`${tileStyle} hover:border-ink focus-visible:-outline-offset-2`}
    >
      {words}
    </Link>
  );
}

function writePlace({ left, top, width, height }: Rectangle) {
  const percent = (part: number) => `${part * 100}%`;
  return { left: percent(left), top: percent(top), width: percent(width), height: percent(height) };
}
