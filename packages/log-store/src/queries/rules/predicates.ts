/**
 * Collects the facts about entries that many conditions need. Each fact is searched for once, and all texts in one pass; entries with equal
 * facts are counted together.
 */
import { logLevels } from '@tapedeck/log-entries';
import type { Comparison } from '@tapedeck/log-query-language';
import type { Binder } from '../../writer/engine/statements.ts';
import { foldColumn } from '../../writer/schema/folding.ts';
import { joinedValues, numberPattern } from '../../writer/schema/schema.ts';
import { formatPath } from '../fields.ts';

/** Its number, by which results name it. */
export type Fact = number;

/** The column to search, by the kind of text. */
const haystacks = {
  body: 'bodyFolded',
  values: 'valuesFolded',
  resource: foldColumn('resource'),
  /** All needles joined by NUL, which no needle contains. */
  all: foldColumn(`concat(body, '\\0', ${joinedValues}, '\\0', resource)`),
} as const;
export type Haystack = keyof typeof haystacks;

/** An expression by which entries are grouped, and what holds where it has a value. */
export type FactColumn = { sql: string; read(cell: unknown): readonly Fact[] };

const nothing: readonly Fact[] = [];

/** Numbers that the value of an expression is compared with. */
type Scale = Map<string, { number: number; operator: Comparison; fact: Fact }>;

const pathsApartMax = 3; // beyond which it takes less to go through all values once
const testsOfColumnMax = 32; // bits that a double holds, and some to spare

export class Facts {
  readonly #binder: Binder;
  #count = 0;
  readonly #needles = new Map<Haystack, Map<string, Fact>>();
  /** By expressions of text. */
  readonly #texts = new Map<string, Map<string, Fact>>();
  readonly #leaves = new Map<string, { path: string; value: string; fact: Fact }>();
  readonly #scales = new Map<string, Scale>();
  readonly levels = new Map<string, Fact>();
  readonly #tests = new Map<string, Fact>();

  constructor(binder: Binder) {
    this.#binder = binder;
  }

  get count(): number {
    return this.#count;
  }

  /** The text, folded and without NUL, occurs. */
  addNeedle(haystack: Haystack, text: string): Fact {
    return this.#take(open(this.#needles, haystack), text);
  }

  /** The expression, which is text, has this value. */
  addText(expression: string, value: string): Fact {
    return this.#take(open(this.#texts, expression), value);
  }

  addLeaf(path: string, value: string): Fact {
    const key = writePair(path, value);
    const known = this.#leaves.get(key);
    if (known !== undefined) return known.fact;
    const fact = this.#count++;
    this.#leaves.set(key, { path, value, fact });
    return fact;
  }

  /** The text of the expression is a number, as JSON writes them, that compares so. */
  addComparison(expression: string, operator: Comparison, given: number): Fact {
    const number = given + 0; // of two zeros one
    const scale = open(this.#scales, expression);
    const key = `${operator}${number}`;
    const known = scale.get(key);
    if (known !== undefined) return known.fact;
    const fact = this.#count++;
    scale.set(key, { number, operator, fact });
    return fact;
  }

  addLevel(level: string): Fact {
    return this.#take(this.levels, level);
  }

  /** An expression. If it can only match where one of these needles occurs, it is evaluated nowhere else. */
  addTest(expression: string, needles: readonly { haystack: Haystack; text: string }[] | null): Fact {
    const isNear = needles?.map(({ haystack, text }) => {
      this.addNeedle(haystack, text);
      const place = [...open(this.#needles, haystack).keys()].indexOf(text) + 1;
      return `has(${nameFound(haystack)}, ${place})`;
    });
    const guarded = isNear ? `if(${isNear.join(' OR ')}, ${expression}, 0)` : expression;
    return this.#take(this.#tests, guarded);
  }

  listColumns(): FactColumn[] {
    const binder = this.#binder;
    return [
      ...[...this.#needles].map(([haystack, needles]) => findAll(haystack, needles, binder)),
      ...[...this.#texts].map(([expression, values]) => lookUp(expression, values, binder)),
      ...this.#listLeafColumns(),
      ...[...this.#scales].map(([expression, scale]) => measure(expression, scale, binder)),
      ...(this.levels.size === 0 ? [] : [readLevel(this.levels)]),
      ...listTests([...this.#tests]),
    ];
  }

  #listLeafColumns(): FactColumn[] {
    const leaves = [...this.#leaves.values()];
    const byPath = Map.groupBy(leaves, ({ path }) => path);
    const isPlain = leaves.every(({ path, value }) => path !== '' && value !== ''); // a path that is absent reads as ''
    if (!isPlain || byPath.size > pathsApartMax)
      return leaves.length === 0 ? [] : [findLeaves(this.#leaves, this.#binder)];
    return [...byPath].map(([path, ofPath]) => {
      const values = new Map(ofPath.map(({ value, fact }) => [value, fact]));
      return lookUp(formatPath(path, this.#binder).value, values, this.#binder);
    });
  }

  #take(facts: Map<string, Fact>, key: string): Fact {
    const known = facts.get(key);
    if (known !== undefined) return known;
    const fact = this.#count++;
    facts.set(key, fact);
    return fact;
  }
}

function open<Key, Value>(maps: Map<Key, Map<string, Value>>, key: Key): Map<string, Value> {
  const known = maps.get(key);
  if (known !== undefined) return known;
  const made = new Map<string, Value>();
  maps.set(key, made);
  return made;
}

function nameFound(haystack: Haystack): string {
  return `in_${haystack}`;
}

function findAll(haystack: Haystack, needles: ReadonlyMap<string, Fact>, binder: Binder): FactColumn {
  const facts = [...needles.values()];
  const patterns = [...needles.keys()].map(text => text.replaceAll(/[\\^$.*+?()[\]{}|\-/]/g, '\\$&'));
  const sql = `arraySort(multiMatchAllIndices(${haystacks[haystack]}, ${binder.bindTexts(patterns)})) AS ${nameFound(haystack)}`;
  return { sql, read: readPlaces(facts) };
}

/** Places count from one. */
function readPlaces(facts: readonly Fact[]): FactColumn['read'] {
  return cell => {
    const places = cell as number[]; // as the column is written
    return places.length === 0 ? nothing : places.map(place => facts[place - 1]!);
  };
}

function readPlace(facts: readonly (Fact | undefined)[]): FactColumn['read'] {
  const ofPlace = facts.map(fact => (fact === undefined ? nothing : [fact]));
  return cell => ofPlace[Number(cell) - 1] ?? nothing;
}

function lookUp(expression: string, values: ReadonlyMap<string, Fact>, binder: Binder): FactColumn {
  const facts = [...values.values()];
  const places = facts.map((_, index) => index + 1);
  return {
    sql: `transform(toString(${expression}), ${binder.bindTexts([...values.keys()])}, [${places}], 0)`,
    read: readPlace(facts),
  };
}

function findLeaves(leaves: ReadonlyMap<string, { fact: Fact }>, binder: Binder): FactColumn {
  const facts = [...leaves.values()].map(({ fact }) => fact);
  const places = facts.map((_, index) => index + 1);
  const pair = "concat(toString(length(path)), ':', path, leaf)";
  const place = `transform(${pair}, ${binder.bindTexts([...leaves.keys()])}, [${places}], 0)`;
  const all = `arrayMap((path, leaf) -> ${place}, mapKeys(metadata), mapValues(metadata))`;
  return { sql: `arraySort(arrayFilter(place -> place > 0, ${all}))`, read: readPlaces(facts) };
}

/** Either may contain the separator: the length says where the first ends. */
function writePair(path: string, value: string): string {
  return `${Buffer.byteLength(path)}:${path}${value}`;
}

/** Which of the numbers is the last that the value reaches, and whether it is that. */
function measure(expression: string, scale: Scale, binder: Binder): FactColumn {
  const asked = [...scale.values()];
  const steps = [...new Set([Number.NEGATIVE_INFINITY, ...asked.map(({ number }) => number)])].toSorted(
    (one, other) => one - other,
  );
  const bits = new BigUint64Array(new Float64Array(steps).buffer);
  const bound = `arrayMap(bits -> reinterpretAsFloat64(bits), ${binder.bind('Array(UInt64)', `[${bits.join()}]`)})`;
  const number = `toFloat64OrZero(${expression})`;
  const step = `roundDown(${number}, ${bound})`;
  const places = steps.map((_, index) => index + 1);
  const place = `transform(${step}, ${bound}, [${places}], 0) * 2 + (${step} = ${number})`;
  const placed = asked.map(one => ({ ...one, place: steps.indexOf(one.number) + 1 }));
  return {
    sql: `if(match(${expression}, '${numberPattern}'), ${place}, 0)`,
    read: remember(cell => {
      const reached = Math.floor(cell / 2);
      const isEqual = cell % 2 === 1;
      if (reached === 0) return nothing;
      const holding = placed.filter(one => {
        const isIt = isEqual && reached === one.place;
        return compares(one.operator, { isIt, isMore: reached >= one.place && !isIt });
      });
      return holding.map(({ fact }) => fact);
    }),
  };
}

/** There are few different values. */
function remember(read: (cell: number) => readonly Fact[]): FactColumn['read'] {
  const known = new Map<number, readonly Fact[]>();
  return given => {
    const cell = Number(given);
    const facts = known.get(cell) ?? read(cell);
    known.set(cell, facts);
    return facts;
  };
}

function compares(operator: Comparison, { isIt, isMore }: { isIt: boolean; isMore: boolean }): boolean {
  switch (operator) {
    case '>':
      return isMore;
    case '>=':
      return isMore || isIt;
    case '<':
      return !isMore && !isIt;
    case '<=':
      return !isMore;
  }
}

function readLevel(levels: ReadonlyMap<string, Fact>): FactColumn {
  return { sql: 'toInt8(level)', read: readPlace(logLevels.map(level => levels.get(level))) };
}

function listTests(tests: readonly (readonly [string, Fact])[]): FactColumn[] {
  const columns: FactColumn[] = [];
  for (let start = 0; start < tests.length; start += testsOfColumnMax) {
    const some = tests.slice(start, start + testsOfColumnMax);
    columns.push({
      sql: some.map(([expression], bit) => `(${expression}) * ${2 ** bit}`).join(' + '),
      read: remember(cell =>
        some.filter((_, bit) => Math.floor(cell / 2 ** bit) % 2 === 1).map(([, fact]) => fact),
      ),
    });
  }
  return columns;
}
