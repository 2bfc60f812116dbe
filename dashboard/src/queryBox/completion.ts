/** Options that the boxes of logs and files share: names, operators, comparisons, values and recent searches. */
import { findTyping } from '@tapedeck/log-query-language';
import type { Group, Option, Place } from './options.ts';

const namesShownMax = 8;
const valuesShownMax = 12;
const searchesShownMax = 8;
const begunSearchesShownMax = 3;

const operators: Readonly<Record<string, string>> = {
  OR: 'one side or the other',
  NOT: 'excludes what follows',
  AND: 'both; optional',
};

const comparisons: Readonly<Record<string, string>> = {
  '>': 'more than',
  '>=': 'at least',
  '<': 'less than',
  '<=': 'at most',
};

/** The text to replace. */
type Range = { from: number; to: number };

/** True if the list should open by itself: something is typed. */
export function isTermBegun({ text, caret }: Place): boolean {
  const typing = findTyping(text, caret);
  return typing.kind !== 'name' || typing.written !== '';
}

export function fillGroups(groups: readonly (readonly [string, readonly Option[]])[]): Group[] {
  return groups.filter(([, options]) => options.length > 0).map(([title, options]) => ({ title, options }));
}

export function listSearches({ text }: Place, searches: readonly string[]): Option[] {
  const begun = text.trim().toLowerCase();
  const fitting = searches.filter(each => each.toLowerCase().startsWith(begun) && each !== text.trim());
  const shown = fitting.slice(0, begun === '' ? searchesShownMax : begunSearchesShownMax);
  const options = shown.map(
    (search): Option => ({
      key: `search ${search}`,
      label: search,
      about: '',
      edit: { from: 0, to: text.length, insert: search },
      isWhole: true,
    }),
  );
  if (begun !== '' || options.length === 0) return options;
  return [
    ...options,
    { key: 'forget', label: 'Forget recent searches', about: '', edit: null, isWhole: false },
  ];
}

type Typed = Range & { text: string; written: string };

/** Lists the field names that contain the typed text, best match first. `describe` adds the colon. */
export function listNames(
  { text, from, to, written }: Typed,
  names: readonly string[],
  describe: (name: string) => { whole: string; about: string },
): Option[] {
  const ranked = [...new Set(names)]
    .map(name => ({ name, rank: rankName(name, written) }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
    .sort((one, other) => one.rank - other.rank);
  // Replaces only the name of an existing term.
  const hasSign = /^:?[=<>:]/.test(text.slice(to));
  return ranked.slice(0, namesShownMax).map(({ name }): Option => {
    const { whole, about } = describe(name);
    const insert = hasSign ? whole.slice(0, -1) : whole;
    return { key: `field ${name}`, label: whole, about, edit: { from, to, insert }, isWhole: false };
  });
}

/** Ranks where a name matches: at its start, at the start of a part, anywhere, or nowhere. */
function rankName(name: string, written: string): number {
  const at = name.toLowerCase().indexOf(written.toLowerCase());
  if (at < 0) return Number.POSITIVE_INFINITY;
  if (at === 0) return 0;
  return /[._-]/.test(name[at - 1] ?? '') ? 1 : 2;
}

export function listOperators({ from, to }: Range, written: string): Option[] {
  return Object.entries(operators)
    .filter(([operator]) => operator.startsWith(written))
    .map(([operator, about]) => ({
      key: operator,
      label: operator,
      about,
      edit: { from, to, insert: `${operator} ` },
      isWhole: false,
    }));
}

export function listComparisons({ from, to }: Range): Option[] {
  return Object.entries(comparisons).map(([sign, about]) => ({
    key: sign,
    label: sign,
    about,
    edit: { from, to, insert: sign },
    isWhole: false,
  }));
}

type OfferedValue = { value: string; about: string; insert: string };

/** Lists the values, and `*` for any value if none is typed yet. */
export function listTermValues(
  { text, from, to, written, isInList }: Typed & { isInList: boolean },
  values: readonly OfferedValue[],
): Option[] {
  const options = values.slice(0, valuesShownMax).map(
    ({ value, about, insert }): Option => ({
      key: `value ${value}`,
      label: value === '' ? '""' : value,
      about,
      edit: { from, to, insert: isInList ? insert : closeTerm(insert, text, to) },
      isWhole: !isInList,
    }),
  );
  if (written !== '' || isInList) return options;
  const insert = closeTerm('*', text, to);
  return [
    ...options,
    { key: 'any', label: '*', about: 'any value', edit: { from, to, insert }, isWhole: true },
  ];
}

/** Adds a space unless there is one. */
export function closeTerm(insert: string, text: string, to: number): string {
  return /^[\s)]/.test(text.slice(to)) ? insert : `${insert} `;
}
