/** Describes the contents of a backup in terms of files and logs, without naming internal tables. */
import type { Manifest } from '../stores/backupFolder.ts';

const things: readonly [one: string, several: string, counts: readonly string[]][] = [
  ['project', 'projects', ['projects']],
  ['user', 'users', ['users']],
  ['token', 'tokens', ['tokens']],
  ['file', 'files', ['files_saved', 'files_there_before']],
  ['log entry', 'log entries', ['log_entries_saved']],
  ['log view', 'log views', ['log_views']],
  ['rule', 'rules', ['rules']],
  ['channel', 'channels', ['channels']],
];

const listing = new Intl.ListFormat('en-GB');

export function describeContents(manifest: Manifest): string {
  const counts = countThings(manifest);
  const told = things.flatMap(([one, several, names]) => {
    const count = names.reduce((sum, name) => sum + (counts.get(name) ?? 0), 0);
    return count === 0 ? [] : [`${count.toLocaleString('en')} ${count === 1 ? one : several}`];
  });
  return told.length === 0 ? 'nothing' : listing.format(told);
}

/** Only for the backup itself: a restore finds none of them there. */
export function describeRepeated(manifest: Manifest): string {
  const before = countThings(manifest).get('files_there_before') ?? 0;
  return before === 0 ? '' : ` (${before.toLocaleString('en')} of the files were there before)`;
}

function countThings({ parts }: Manifest): ReadonlyMap<string, number> {
  return new Map(Object.values(parts).flatMap(part => Object.entries(part)));
}
