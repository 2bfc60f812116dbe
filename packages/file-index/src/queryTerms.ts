/** Combines filters and query into one query, and finds the ids and keys in it. */
import { allOf, type FileQuery, type FileTerm } from '@tapedeck/log-query-language';
import type { FileFilter, FileQuestion } from './fileQueries.ts';

/** Adds the filters to the query as terms, except the folder. */
export function composeQuery({ filter, query }: FileQuestion): FileQuery {
  return allOf([...listFilterTerms(filter), ...(query === null ? [] : [query])]);
}

function listFilterTerms({ type, terms, metadata }: FileFilter): FileTerm[] {
  const listed: FileTerm[] = terms.map(term => ({
    kind: 'field',
    field: { kind: 'name' },
    values: [{ kind: 'parts', parts: ['', term, ''] }],
  }));
  if (type !== null)
    listed.push({ kind: 'field', field: { kind: 'type' }, values: [{ kind: 'equals', text: type }] });
  for (const { path, value } of metadata)
    listed.push({
      kind: 'field',
      field: { kind: 'metadata', path },
      values: [{ kind: 'equals', text: value }],
    });
  return listed;
}

/** Lists the texts that may be a file's id or key. */
export function listNames(query: FileQuery): string[] {
  const names = new Set<string>();
  for (const term of listTerms(query)) {
    if (term.kind === 'text') names.add(term.text);
    if (term.kind !== 'field' || (term.field.kind !== 'id' && term.field.kind !== 'key')) continue;
    for (const value of term.values) if (value.kind === 'equals') names.add(value.text);
  }
  return [...names].filter(name => name !== '' && !name.includes('\0'));
}

function listTerms(query: FileQuery): FileTerm[] {
  if (query.kind === 'and' || query.kind === 'or') return query.trees.flatMap(listTerms);
  return query.kind === 'not' ? listTerms(query.tree) : [query];
}
