/**
 * Collects the facts about entries that many conditions need. The engine looks for each fact once, and for all texts in one pass, and groups
 * entries with equal facts.
 */
import { logLevels } from '@tapedeck/log-entries';
import type { Comparison } from '@tapedeck/log-query-language';
import type { Binder } from '../../writer/engine/statements.ts';
import { foldColumn } from '../../writer/schema/folding.ts';
import { bodyFolded, joinedValues, numberPattern, valuesFolded } from '../../writer/schema/schema.ts';
import { formatPath } from '../fields.ts';

/** The number of a fact in results. */
export type Fact = number;

/** The text to search, by its kind. */
const haystacks = {
  body: bodyFolded,
  values: valuesFolded,
  resource: foldColumn('resource'),
  /** All needles joined by NUL, which no needle contains. */
  all: foldColumn(`concat(body, '\\0', ${joinedValues}, '\\0', resource)`),
} as const;
export type Haystack = keyof typeof haystacks;

/** An expression to group entries by, and a reader for the facts that hold for a value. */
export type FactColumn = { sql: string; read(cell: unknown): readonly Fact[] };

const nothing: readonly Fact[] = [];

/** Numbers to compare the value of an expression with. */
type Scale = Map<string, { number: number; operator: Comparison; fact: Fact }>;

const pathsApartMax = 3; // with more, one pass over all values is cheaper
const testsOfColumnMax = 32; // bits; a double could hold more

export class Facts {
  readonly #binder: Binder;
  #count = 0;
  readonly #needles = new Map<Haystack, Map<string, Fact>>();
  /** Facts by text expression. */
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

  /** Adds the fact that the text occurs. It must be folded and without NUL. */
  addNeedle(haystack: Haystack, text: string): Fact {
    return this.#take(open(this.#needles, haystack), text);
  }

  /** Adds the fact that the text expression has this value. */
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

  /** Adds the fact that the expression's text is a JSON number for which the comparison holds. */
  addComparison(expression: string, operator: Comparison, given: number): Fact {
    const number = given + 0; // turns -0 into 0
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

  /** Adds an expression. If it needs one of these needles to hold, it runs only on entries with one. */
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
    const isPlain = leaves.every(({ path, value }) => path !== '' && value !== ''); // an absent path reads as ''
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

/** Reads a list of places, counted from one. */
function readPlaces(facts: readonly Fact[]): FactColumn['read'] {
  return cell => {
    const places = cell as number[]; // the column has arrays of numbers
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

/** The length shows where the path ends, because both texts may contain any separator. */
function writePair(path: string, value: string): string {
  return `${Buffer.byteLength(path)}:${path}${value}`;
}

/** Finds the largest number that the value reaches, and whether the value equals it. */
function measure(expression: string, scale: Scale, binder: Binder): FactColumn {
  const scaled = [...scale.values()];
  const steps = [...new Set([Number.NEGATIVE_INFINITY, ...scaled.map(({ number }) => number)])].toSorted(
    (one, other) => one - other,
  );
  const bits = new BigUint64Array(new Float64Array(steps).buffer);
  const bound = `arrayMap(bits -> reinterpretAsFloat64(bits), ${binder.bind('Array(UInt64)', `[${bits.join()}]`)})`;
  const number = `toFloat64OrZero(${expression})`;
  const step = `roundDown(${number}, ${bound})`;
  const places = steps.map((_, index) => index + 1);
  const place = `transform(${step}, ${bound}, [${places}], 0) * 2 + (${step} = ${number})`;
  const placed = scaled.map(one => ({ ...one, place: steps.indexOf(one.number) + 1 }));
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

/** Caches facts by cell, because there are few different cells. */
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
