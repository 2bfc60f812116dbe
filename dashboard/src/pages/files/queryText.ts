/** Writes file queries as text: terms that the page adds, and a selection of files. */
import {
  allOf,
  type FileQuery,
  parseFileQuery,
  printFileQuery,
  QueryMistake,
  resolveFileField,
} from '@tapedeck/log-query-language';

const queryBytesMax = 2048; // CONTRACT.md, 9.1; the service checks it too

export function equalsTerm(name: string, value: string): FileQuery {
  return { kind: 'field', field: resolveFileField(name), values: [{ kind: 'equals', text: value }] };
}

/** Finds names that contain the word; stars are wildcards. */
export function containsTerm(name: string, word: string): FileQuery {
  if (!isSayable(word)) return { kind: 'text', text: word };
  return { kind: 'field', field: resolveFileField(name), values: [{ kind: 'parts', parts: ['', word, ''] }] };
}

export function composeQuery(terms: readonly FileQuery[]): string {
  return terms.length === 0 ? '' : printFileQuery(allOf(terms));
}

/** Adds a term to the query. Leaves an invalid query unchanged. */
export function addTerm(text: string, term: FileQuery): string {
  const before = readQuery(text);
  if (before === undefined) return `${text} ${printFileQuery(term)}`;
  const terms = before === null ? [] : before.kind === 'and' ? before.trees : [before];
  const written = printFileQuery(term);
  return composeQuery([...terms.filter(each => printFileQuery(each) !== written), term]);
}

/** Returns the query for exactly these files; null if they are too many. */
export function writeChoice(ids: readonly string[]): string | null {
  const values = ids.map(text => ({ kind: 'equals', text }) as const);
  return keepShort(composeQuery([{ kind: 'field', field: { kind: 'id' }, values }]));
}

function isSayable(word: string): boolean {
  return /^[^:=<>"*\s()][^\s()*]*$/.test(word);
}

function keepShort(text: string): string | null {
  return new TextEncoder().encode(text).length <= queryBytesMax ? text : null;
}

/** Returns null if the query is empty; undefined if it is invalid. */
function readQuery(text: string): FileQuery | null | undefined {
  try {
    return parseFileQuery(text);
  } catch (error) {
    if (error instanceof QueryMistake) return undefined;
    throw error;
  }
}
