/** Questions about files, as text: terms that the page itself makes, and a choice of files as one text. */
import {
  allOf,
  type FileQuery,
  parseFileQuery,
  printFileQuery,
  QueryMistake,
  resolveFileField,
} from '@tapedeck/log-query-language';

const queryBytesMax = 2048; // CONTRACT.md, 9.1; the service says so as well

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

/** Adds a term to the query; a query with a mistake stays unchanged. */
export function addTerm(text: string, term: FileQuery): string {
  const before = readQuery(text);
  if (before === undefined) return `${text} ${printFileQuery(term)}`;
  const terms = before === null ? [] : before.kind === 'and' ? before.trees : [before];
  const written = printFileQuery(term);
  return composeQuery([...terms.filter(each => printFileQuery(each) !== written), term]);
}

/** These files and no others. null when there are too many for one text. */
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

/** null: everything is asked for; undefined: the text has a mistake. */
function readQuery(text: string): FileQuery | null | undefined {
  try {
    return parseFileQuery(text);
  } catch (error) {
    if (error instanceof QueryMistake) return undefined;
    throw error;
  }
}
