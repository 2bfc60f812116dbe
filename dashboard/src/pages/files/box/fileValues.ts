/** Collects fields and values for completion from the newest matching files. */

import { useQuery } from '@tanstack/react-query';
import { mediaTypes } from '@tapedeck/client';
import { type FileField, nameFileField } from '@tapedeck/log-query-language';
import type { FileRecord } from '../../../queries/fileRecords.ts';
import { sampledFilesQuery } from '../../../queries/files.ts';
import { foldersQuery } from '../../../queries/folders.ts';
import type { Place } from '../../../queryBox/options.ts';
import { listLeaves } from '../metadata.ts';
import { composeQuery } from '../queryText.ts';
import { findWantedFileValues, type KnownFiles } from './fileCompletion.ts';

type FileValuesProps = {
  project: string;
  place: Place;
  /** True while the user types, or is about to. */
  isNeeded: boolean;
};

export function useFileValues({
  project,
  place,
  isNeeded,
}: FileValuesProps): Pick<KnownFiles, 'paths' | 'values'> {
  const wanted = findWantedFileValues(place);
  const { data: newest = [] } = useQuery({ ...sampledFilesQuery(project, ''), enabled: isNeeded });
  const question = wanted === null ? '' : composeValueQuery(wanted);
  const { data: fitting = [] } = useQuery({
    ...sampledFilesQuery(project, question),
    enabled: isNeeded && question !== '',
  });
  const isFolder = wanted?.field.kind === 'path';
  const { data: folders = [] } = useQuery({
    ...foldersQuery(project, splitPlace(wanted?.prefix ?? '')),
    enabled: isNeeded && isFolder,
  });
  const paths = sortByOften(newest.flatMap(({ metadata }) => listLeaves(metadata).map(({ name }) => name)));
  if (wanted === null) return { paths, values: [] };
  if (wanted.field.kind === 'type') return { paths, values: mediaTypes };
  if (wanted.field.kind === 'exempt') return { paths, values: ['true', 'false'] };
  if (isFolder) return { paths, values: folders.map(({ path }) => path) };
  const { field } = wanted;
  return { paths, values: sortByOften([...fitting, ...newest].flatMap(file => readValues(file, field))) };
}

/** `clips/ne`: in `clips`, what starts with `ne`. */
export function splitPlace(typed: string): { path: string; prefix: string } {
  const path = typed.replace(/^\/+/, '');
  const slash = path.lastIndexOf('/');
  return { path: path.slice(0, Math.max(slash, 0)).replace(/\/+$/, ''), prefix: path.slice(slash + 1) };
}

/** Finds files with a value that starts with the prefix; any value if it is empty. */
function composeValueQuery({ field, prefix }: { field: FileField; prefix: string }): string {
  if (field.kind === 'path' || field.kind === 'type' || field.kind === 'exempt') return '';
  const isWord = /^[^:=<>"*\s()][^\s()*]*$/.test(prefix);
  return composeQuery([
    {
      kind: 'field',
      field,
      values: [isWord ? { kind: 'parts', parts: [prefix, ''] } : { kind: 'present' }],
    },
  ]);
}

function readValues(file: FileRecord, field: FileField): string[] {
  if (field.kind === 'name') return [file.filename];
  if (field.kind === 'mimeType') return [file.mimeType];
  if (field.kind !== 'metadata') return [];
  const name = nameFileField(field);
  return listLeaves(file.metadata).flatMap(leaf => (leaf.name === name ? [leaf.text] : []));
}

/** Removes duplicates and puts the most frequent first. */
function sortByOften(texts: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts].sort(([, one], [, other]) => other - one).map(([text]) => text);
}
