/** Reads and writes the search and layout of the Files page in the address. */
import { type MediaType, mediaTypes } from '@tapedeck/client';
import { readTerms } from '../../format/searchTerms.ts';
import type { FileQuestion } from '../../queries/files.ts';
import { composeQuery, containsTerm, equalsTerm } from './queryText.ts';

const viewNames = ['list', 'storage'] as const;
const sortNames = ['name', 'size', 'duration'] as const;
export type SortName = 'createdAt' | (typeof sortNames)[number];

export type FileSearch = {
  /** A query in the log query language, over file fields. */
  query?: string | undefined;
  type?: MediaType | undefined;
  /** A folder and its subfolders. */
  path?: string | undefined;
  /** Absent: by date. */
  sort?: (typeof sortNames)[number] | undefined;
  /** Absent: newest, largest, longest or last first. */
  order?: 'asc' | undefined;
  /** Absent: tiles; `storage`: the storage view. */
  view?: (typeof viewNames)[number] | undefined;
  /** Shows the trash. */
  trash?: 'true' | undefined;
  /** The id of the open file. */
  file?: string | undefined;
};

export type ChangeFileSearch = (change: FileSearch) => void;

type Raw = Readonly<Record<string, unknown>>;

/** Reads any address and ignores unknown parts. */
export function readFileSearch(raw: Raw): FileSearch {
  const text = (key: string) => readText(raw, key);
  const known = {
    query: text('query') ?? (readOlder(raw) || undefined),
    type: mediaTypes.find(type => type === raw.type),
    path: text('path'),
    sort: sortNames.find(sort => sort === raw.sort),
    order: raw.order === 'asc' ? 'asc' : undefined,
    view: viewNames.find(view => view === raw.view),
    trash: raw.trash === 'true' ? 'true' : undefined,
    file: text('file'),
  } satisfies FileSearch;
  // Keys without a value would show up in the address.
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
}

function readText(raw: Raw, key: string): string | undefined {
  const value = raw[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

const metadataPrefix = 'metadata.';

/** Older addresses had one parameter for names, and one per metadata path. */
function readOlder(raw: Raw): string {
  const names = readTerms(readText(raw, 'q') ?? '').map(word => containsTerm('name', word));
  const paths = Object.keys(raw).filter(key => key.startsWith(metadataPrefix));
  const values = paths.flatMap(key => {
    const value = readText(raw, key);
    return value === undefined ? [] : [equalsTerm(key, value)];
  });
  return composeQuery([...names, ...values]);
}

/** Returns the parameters for the service. */
export function composeFileQuestion({ query, type, path, sort, order, trash }: FileSearch): FileQuestion {
  return { query, type, path, sort, order, trash };
}

/** True if a filter other than the folder is set. */
export function isNarrowed({ query, type }: FileSearch): boolean {
  return query !== undefined || type !== undefined;
}
