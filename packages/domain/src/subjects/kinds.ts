/** A project's kinds of subjects: which metadata paths hold their ids and names. */

import type { SubjectPaths } from '../ports/logQueries.ts';
import { invalidFieldError, ServiceError } from '../vocabulary.ts';

export type SubjectKind = SubjectPaths & {
  /** Part of URLs, such as `player`. */
  kind: string;
};

export type SubjectSettings = { subjects: readonly SubjectKind[] };

export const noSubjects: SubjectSettings = { subjects: [] };

/** Normalises kinds for storing. Rejects duplicate kinds, and duplicate paths within a list. */
export function parseKinds(kinds: readonly SubjectKind[]): SubjectKind[] {
  const names = new Set(kinds.map(({ kind }) => kind));
  if (names.size < kinds.length)
    throw invalidFieldError('subjects', 'Each kind of subject may appear only once.');
  return kinds.map(({ kind, idPaths, namePaths }) => ({
    kind,
    idPaths: requireOnce(kind, 'idPaths', idPaths),
    namePaths: requireOnce(kind, 'namePaths', namePaths),
  }));
}

function requireOnce(kind: string, list: 'idPaths' | 'namePaths', paths: readonly string[]): string[] {
  if (new Set(paths).size === paths.length) return [...paths];
  throw invalidFieldError('subjects', `Give each path of ${list} once; the kind ${kind} has one twice.`);
}

/** Throws `not_found` if the project does not have the kind. */
export function findKind({ subjects }: SubjectSettings, kind: string): SubjectKind {
  const found = subjects.find(one => one.kind === kind);
  if (found !== undefined) return found;
  const known = subjects.map(one => one.kind).join(', ');
  const hint = known === '' ? 'an admin can confirm one that is proposed' : `it has ${known}`;
  // Callers may send any text, so the error repeats only a word.
  const name = /^[\w-]{1,32}$/.test(kind) ? `“${kind}”` : 'of that name';
  throw new ServiceError('not_found', `This project has no subject kind ${name}; ${hint}.`);
}
