/** Makes entries and random queries for their lines, and evaluates each query naively, without the product's code. */
import fc from 'fast-check';

type Entry = {
  seconds: number;
  level: string;
  resource: string;
  message: string;
  metadata: Record<string, string>;
};

const words = ['alpha', 'Beta', 'gamma-7', 'x=1', 'ERROR', 'a.b', '10.0.0.1', 'naïve'];
const pick = <Item>(items: readonly Item[], place: number): Item => items[place % items.length]!;

/** Odd ones are JSON; some lack a resource, some a path, and a few have a value that is not a number. */
export const entries: Entry[] = Array.from({ length: 400 }, (_, index) => {
  const parsed = {
    code: 100 + ((index * 7) % 500),
    name: pick(words, index),
    nested: { ok: index % 3 === 0 },
  };
  return {
    seconds: index * 9 + 1,
    level: pick(['debug', 'info', 'warn', 'error'], index * index),
    resource: pick(['', 'shop', 'arena', 'shop'], Math.floor(index / 3)),
    message:
      index % 2 === 1
        ? JSON.stringify(parsed)
        : `${pick(words, index)} then ${pick(words, index + 3)} after ${index}`,
    metadata: {
      ...(index % 5 > 0 && { 'player.id': `p${index % 4}` }),
      ...(index % 7 > 0 && { ms: String((index * 13) % 300) }),
      zone: pick(['north', 'south', ''], index),
    },
  };
});
/** Returns an entry's labels by the contract, without code of the product. */
export function readLabels(entry: Entry): Map<string, string> {
  return new Map([
    ...Object.entries(entry.metadata).map(([path, value]) => [path.replaceAll('.', '_'), value] as const),
    ['detected_level', entry.level],
    ['service_name', entry.resource || 'unknown_service'],
    ['level', entry.level],
    ['dataset', 'oracle'],
  ]);
}

export type Draft = { entry: Entry; labels: Map<string, string> };
/** Part of a query, and the lines it lets through. */
export type Part = { text: string; holds(draft: Draft): boolean };

const quoted = (text: string) => JSON.stringify(text);

/** For these expressions Loki searches within a label in filters, but not in selectors. */
const soughtInFilters: Readonly<Record<string, string>> = { '': '', 's.*': 's' };

const drawnMatcher = fc.record({
  name: fc.constantFrom('service_name', 'level', 'player_id', 'zone', 'detected_level', 'absent'),
  operator: fc.constantFrom('=', '!=', '=~', '!~'),
  value: fc.constantFrom(
    'shop',
    'unknown_service',
    'error',
    'p1',
    'north',
    '',
    'sh.p',
    'p[12]',
    'error|warn',
    '.+',
    '.*',
    's.*',
  ),
});

type Drawn = { name: string; operator: string; value: string };

function makeMatcher({ name, operator, value }: Drawn, sought: string | undefined): Part {
  const expression = sought === undefined ? new RegExp(`^(?:${value})$`, 's') : new RegExp(sought);
  const isRegular = operator.endsWith('~');
  const matches = (found: string) => (isRegular ? expression.test(found) : found === value);
  return {
    text: `${name}${operator}${quoted(value)}`,
    holds: ({ labels }) => matches(labels.get(name) ?? '') !== operator.startsWith('!'),
  };
}

export const matcher: fc.Arbitrary<Part> = drawnMatcher.map(drawn => makeMatcher(drawn, undefined));

const labelFilter: fc.Arbitrary<Part> = drawnMatcher
  .map(drawn => makeMatcher(drawn, soughtInFilters[drawn.value]))
  .map(({ text, holds }) => ({ text: `| ${text}`, holds }));

const lineFilter: fc.Arbitrary<Part> = fc
  .record({
    operator: fc.constantFrom('|=', '!=', '|~', '!~'),
    texts: fc.uniqueArray(
      fc.constantFrom('alpha', 'ALPHA', 'Beta', '7', 'code', 'a.b', 'then', '"ok":true', 'ïv'),
      { minLength: 1, maxLength: 2 },
    ),
    expression: fc.constantFrom(
      'alpha',
      '(?i)beta',
      'gamma-\\d',
      '^a',
      '\\d+$',
      'then|code',
      'x=1.*after',
      '[A-Z]{3}',
    ),
  })
  .map(({ operator, texts, expression }) => {
    const isNegated = operator.startsWith('!');
    if (operator.endsWith('=')) {
      const holds = ({ entry }: Draft) => texts.some(text => entry.message.includes(text)) !== isNegated;
      return { text: `${operator} ${texts.map(quoted).join(' or ')}`, holds };
    }
    const compiled = new RegExp(expression.replace('(?i)', ''), expression.startsWith('(?i)') ? 'i' : '');
    return {
      text: `${operator} ${quoted(expression)}`,
      holds: ({ entry }) => compiled.test(entry.message) !== isNegated,
    };
  });

const compare: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
};

const numberFilter = (names: readonly string[]): fc.Arbitrary<Part> =>
  fc
    .record({
      name: fc.constantFrom(...names),
      operator: fc.constantFrom(...Object.keys(compare)),
      number: fc.constantFrom(0, 13, 120, 150.5, 299, 407),
    })
    .map(({ name, operator, number }) => ({
      text: `| ${name} ${operator} ${number}`,
      holds: ({ labels }) => {
        const value = labels.get(name);
        return value !== undefined && compare[operator]!(Number(value), number);
      },
    }));

/** Extracts the fields, or none if the line is not JSON. */
const json: Part = {
  text: '| json',
  holds: ({ entry, labels }) => {
    if (!entry.message.startsWith('{')) return true;
    const { code, name, nested } = JSON.parse(entry.message);
    for (const [label, value] of [
      ['code', code],
      ['name', name],
      ['nested_ok', nested.ok],
    ])
      labels.set(label, String(value));
    return true;
  },
};

const parsedFilter: fc.Arbitrary<Part> = fc.oneof(
  numberFilter(['code']),
  fc.constantFrom('alpha', 'Beta', 'naïve', 'a.b', 'none').map(value => ({
    text: `| name = ${quoted(value)}`,
    holds: ({ labels }: Draft) => labels.get('name') === value,
  })),
  fc.constantFrom('true', 'false').map(value => ({
    text: `| nested_ok != ${quoted(value)}`,
    holds: ({ labels }: Draft) => labels.get('nested_ok') !== value,
  })),
);

export const plainStages = fc.array(fc.oneof(lineFilter, numberFilter(['ms']), labelFilter), {
  maxLength: 3,
});
const parsedStages = fc
  .tuple(plainStages, fc.array(fc.oneof(parsedFilter, lineFilter), { minLength: 1, maxLength: 2 }))
  .map(([before, behind]) => [...before, json, ...behind]);

export type Lines = { text: string; find(): Draft[] };

const makeLines = ([matchers, stages]: [Part[], Part[]]): Lines => ({
  text: `{${['dataset="oracle"', ...matchers.map(({ text }) => text)].join(', ')}} ${stages.map(({ text }) => text).join(' ')}`,
  find: () =>
    entries
      .map(entry => ({ entry, labels: readLabels(entry) }))
      .filter(draft => [...matchers, ...stages].every(({ holds }) => holds(draft))),
});

const matchers = fc.array(matcher, { maxLength: 2 });
export const lines: fc.Arbitrary<Lines> = fc
  .tuple(matchers, fc.oneof(plainStages, parsedStages))
  .map(makeLines);

const isJson: Part = { text: '|= "\\"code\\""', holds: ({ entry }) => entry.message.startsWith('{') };

/** Only JSON lines, because numbers from other lines are refused. */
export const soundLines: fc.Arbitrary<Lines> = fc
  .tuple(
    matchers,
    fc.oneof(
      plainStages,
      parsedStages.map(stages => [isJson, ...stages]),
    ),
  )
  .map(makeLines);
