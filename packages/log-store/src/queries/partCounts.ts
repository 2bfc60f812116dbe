/**
 * Counts the values of a field part by part and remembers the counts, so that only new parts are read. Fields with very
 * many different values, or very long ones, are left to `counts.ts`.
 */
import { foldCase } from '@tapedeck/case-folding';
import type { LogField, LogFilter, LogValuesQuestion, ValueCount } from '@tapedeck/log-entries';
import { EngineError } from '../engine/requests.ts';
import type { EngineAccess } from '../engine/supervision.ts';
import { localTable } from '../schema/schema.ts';
import { Binder } from './binder.ts';
import { asksByKeyAlone, formatConditions } from './conditions.ts';
import { formatField } from './counts.ts';
import { listParts, type Part, partsBoundMax } from './parts.ts';
import { askRows, type Runner } from './running.ts';

export type PartCountsDeps = { runner: Runner; shards: readonly EngineAccess[] };

type Counts = ReadonlyMap<string, number>;
const largeEntries = 500_000; // from there on, grouping by part as well costs more than a statement of its own
const largePartsMax = 16;
const groupsMax = 20_000; // values times parts of one statement
const valuesMax = 20_000; // over all parts: adding more up keeps everybody else waiting
const groupsBytesMax = 4_000_000; // and their bytes
const charactersMax = 16_000_000; // of all remembered values, each with its cost beside its text
const charactersBesides = 100;
const attemptsMax = 3; // parts are merged now and then, seldom the same ones at once
const hopelessForMs = 600_000; // a field of ids stays one

export class PartCounts {
  readonly #deps: PartCountsDeps;
  /** By question, then by part; the question asked last stands last. */
  readonly #known = new Map<string, Map<string, Counts>>();
  readonly #hopelessUntil = new Map<string, number>();
  #characters = 0;

  constructor(deps: PartCountsDeps) {
    this.#deps = deps;
  }

  /** null when the question is not of the kind that is remembered, or the parts do not stand still. */
  async count(
    filter: LogFilter,
    question: LogValuesQuestion,
    signal: AbortSignal,
  ): Promise<ValueCount[] | null> {
    const { field } = question;
    const topic = JSON.stringify([filter.project, filter.datasets, field]);
    if (!asksByKeyAlone(filter) || (this.#hopelessUntil.get(topic) ?? 0) > performance.now()) return null;
    const total = new Map<string, number>();
    for (const [index, shard] of this.#deps.shards.entries()) {
      const asked = { filter, field, signal, topic, question: `${index} ${topic}` };
      const counts = await this.#countShard(shard, asked);
      if (counts === null) return null;
      for (const part of counts) {
        addCounts(total, part);
        if (total.size <= valuesMax) continue;
        this.#giveUp(topic);
        return null;
      }
    }
    return listTop(total, question);
  }

  async #countShard(shard: EngineAccess, asked: Asked): Promise<Counts[] | null> {
    const { question, filter } = asked;
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const standing = await this.#listParts(shard, asked);
      const parts = standing.filter(part => overlaps(part, filter));
      const known = this.#known.get(question);
      const isKnown = (part: Part) => isWithin(part, filter) && known?.has(part.key) === true;
      const unread = parts.filter(part => !isKnown(part));
      const remembered = parts.filter(isKnown).map(part => known!.get(part.key)!);
      if (unread.length === 0) {
        this.#remember(question, []); // it was asked last
        this.#forgetGone(question, new Set(standing.map(part => part.key)));
        return remembered;
      }
      const read = await this.#readParts(shard, asked, unread);
      if (read === null) return null;
      const still = new Set((await this.#listParts(shard, asked)).map(part => part.key));
      // A part that stood before and after was there in between: it was read, and counted once.
      const lasting = unread.filter(part => still.has(part.key) && isWithin(part, filter));
      this.#remember(
        question,
        lasting.map(({ key, name }) => [key, read.get(name) ?? new Map()]),
      );
      this.#forgetGone(question, still);
      // The next attempt reads only the parts that came out of merges.
      if (!parts.every(part => still.has(part.key))) continue;
      return [...remembered, ...read.values()];
    }
    return null;
  }

  #listParts(shard: EngineAccess, { signal }: Asked): Promise<readonly Part[]> {
    return listParts(this.#deps.runner, shard, signal);
  }

  /** null when there are too many parts or values. */
  async #readParts(
    shard: EngineAccess,
    asked: Asked,
    parts: readonly Part[],
  ): Promise<Map<string, Map<string, number>> | null> {
    if (parts.length > partsBoundMax) return null;
    const binder = new Binder();
    const sql = formatCounts(asked, parts, binder);
    const settings = {
      max_rows_to_group_by: groupsMax,
      group_by_overflow_mode: 'throw',
      max_result_bytes: groupsBytesMax,
      result_overflow_mode: 'throw',
    };
    const asking = { weight: 'heavy', signal: asked.signal } as const;
    try {
      const statement = { sql, parameters: binder.parameters, settings };
      const rows = await askRows(this.#onShard(shard, asked), asking, statement);
      return gatherByPart(rows as [string, string, number][]); // as selected
    } catch (error) {
      if (!(error instanceof EngineError) || !tooMuch.includes(error.engineCode)) throw error;
      this.#giveUp(asked.topic);
      return null;
    }
  }

  #remember(question: string, counted: readonly (readonly [string, Counts])[]): void {
    const parts = this.#known.get(question) ?? new Map<string, Counts>();
    if (parts.size === 0 && counted.length === 0) return;
    this.#known.delete(question);
    this.#known.set(question, parts);
    for (const [key, counts] of counted) {
      if (parts.has(key)) continue;
      parts.set(key, counts);
      this.#characters += measure(counts);
    }
    for (const [oldest, forgotten] of this.#known) {
      if (this.#characters <= charactersMax) break;
      this.#known.delete(oldest);
      for (const counts of forgotten.values()) this.#characters -= measure(counts);
    }
  }

  #forgetGone(question: string, still: ReadonlySet<string>): void {
    const parts = this.#known.get(question) ?? new Map<string, Counts>();
    for (const [key, counts] of parts) {
      if (still.has(key)) continue;
      parts.delete(key);
      this.#characters -= measure(counts);
    }
  }

  #giveUp(topic: string): void {
    const now = performance.now();
    for (const [other, until] of this.#hopelessUntil) if (until < now) this.#hopelessUntil.delete(other);
    this.#hopelessUntil.set(topic, now + hopelessForMs);
  }

  #onShard(access: EngineAccess, { filter: { project: holder } }: Asked): Runner {
    return { ...this.#deps.runner, access, holder };
  }
}

/** The topic is the same on all shards; a question is a shard's. */
type Asked = {
  filter: LogFilter;
  field: LogField;
  signal: AbortSignal;
  topic: string;
  question: string;
};

const tooMuch: readonly number[] = [158, 396]; // ClickHouse: TOO_MANY_ROWS, TOO_MANY_ROWS_OR_BYTES

/** Rows of part, value and count. Of a part that lies within the time asked for no times are read: they take twice as long as the values. */
function formatCounts({ filter, field }: Asked, parts: readonly Part[], binder: Binder): string {
  const { value, count } = formatField(field, binder);
  const columns = `${value} AS value, ${count} AS entries FROM ${localTable}`;
  const [large, others] = divideParts(parts);
  const statements: string[] = [];
  for (const isWhole of [true, false]) {
    const isSo = (part: Part) => isWithin(part, filter) === isWhole;
    const conditions = formatConditions(isWhole ? { ...filter, ...anyTime } : filter, binder);
    for (const { name } of large.filter(isSo)) {
      const part = binder.bind('String', name);
      statements.push(`SELECT ${part} AS part, ${columns}
        WHERE ${conditions} AND _part = ${part} GROUP BY value HAVING entries > 0`);
    }
    const names = others.filter(isSo).map(({ name }) => name);
    if (names.length === 0) continue;
    statements.push(`SELECT _part AS part, ${columns}
      WHERE ${conditions} AND _part IN ${binder.bindWords(names)} GROUP BY part, value HAVING entries > 0`);
  }
  return statements.join(' UNION ALL ');
}

const anyTime = { fromMicros: null, toMicros: null };

/** Those that are counted by a statement each, and those that share one. */
function divideParts(parts: readonly Part[]): [large: Part[], others: Part[]] {
  const large = parts.filter(part => part.entries >= largeEntries).slice(0, largePartsMax);
  return [large, parts.filter(part => !large.includes(part))];
}

function overlaps(part: Part, { fromMicros, toMicros }: LogFilter): boolean {
  return part.toMicros >= (fromMicros ?? part.toMicros) && part.fromMicros <= (toMicros ?? part.fromMicros);
}

function isWithin(part: Part, { fromMicros, toMicros }: LogFilter): boolean {
  return part.fromMicros >= (fromMicros ?? part.fromMicros) && part.toMicros <= (toMicros ?? part.toMicros);
}

function measure(counts: Counts): number {
  let characters = charactersBesides;
  for (const value of counts.keys()) characters += value.length + charactersBesides;
  return characters;
}

function gatherByPart(rows: readonly [string, string, number][]): Map<string, Map<string, number>> {
  const parts = new Map<string, Map<string, number>>();
  for (const [part, value, entries] of rows) {
    const counts = parts.get(part) ?? new Map<string, number>();
    parts.set(part, counts);
    counts.set(value, entries);
  }
  return parts;
}

function addCounts(total: Map<string, number>, counts: Counts): void {
  for (const [value, entries] of counts) total.set(value, (total.get(value) ?? 0) + entries);
}

/** Few are kept at any time, so that very many values cost little more than looking at each once. */
function listTop(counts: Counts, { prefix, limit }: LogValuesQuestion): ValueCount[] {
  const top: ValueCount[] = [];
  const beginning = foldCase(prefix);
  for (const [value, count] of counts) {
    if (!foldCase(value).startsWith(beginning)) continue;
    const one = { value, count };
    const place = top.findLastIndex(kept => !isAhead(one, kept)) + 1;
    if (place === limit) continue;
    top.splice(place, 0, one);
    if (top.length > limit) top.pop();
  }
  return top;
}

/** Equal counts by value, in the order of their bytes as the engine sorts them, which is that of their code points. */
function isAhead(one: ValueCount, other: ValueCount): boolean {
  if (one.count !== other.count) return one.count > other.count;
  let index = 0;
  while (index < one.value.length && one.value[index] === other.value[index]) index++;
  // The text that ends first is the smaller one.
  return (one.value.codePointAt(index) ?? -1) < (other.value.codePointAt(index) ?? -1);
}
