/** Which files are shown, and how, as it stands in the address. */
import { type MediaType, mediaTypes } from '@tapedeck/client';
import type { FileQuestion } from '../../queries/files.ts';

type Metadata = { [path: `metadata.${string}`]: string | undefined };

export type FileSearch = Metadata & {
  type?: MediaType | undefined;
  /** A folder and all below it. */
  path?: string | undefined;
  q?: string | undefined;
  /** Absent: as pictures side by side. */
  view?: 'list' | undefined;
  /** The id of the file that is open. */
  file?: string | undefined;
};

export type ChangeFileSearch = (change: FileSearch) => void;

/** Whatever stands in the address; what is not known is left out. */
export function readFileSearch(raw: Readonly<Record<string, unknown>>): FileSearch {
  const text = (key: string) => (typeof raw[key] === 'string' && raw[key] !== '' ? raw[key] : undefined);
  const metadata = Object.keys(raw).filter(key => key.startsWith('metadata.') && text(key) !== undefined);
  const known = {
    type: mediaTypes.find(type => type === raw.type),
    path: text('path'),
    q: text('q'),
    view: raw.view === 'list' ? 'list' : undefined,
    file: text('file'),
    ...Object.fromEntries(metadata.map(key => [key, text(key)])),
  } satisfies FileSearch;
  // Keys without a value would stand in the address.
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
}

export function askFiles({ view: _view, file: _file, ...question }: FileSearch): FileQuestion {
  return question;
}

export function listMetadataFilters(search: FileSearch): { key: `metadata.${string}`; value: string }[] {
  return Object.entries(search).flatMap(([key, value]) =>
    isMetadataKey(key) && value ? [{ key, value }] : [],
  );
}

function isMetadataKey(key: string): key is `metadata.${string}` {
  return key.startsWith('metadata.');
}
