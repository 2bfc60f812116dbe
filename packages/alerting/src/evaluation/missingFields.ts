/**
 * Checks from time to time that entries still have the fields rules depend on, because a rule on a renamed field would never fire. A
 * field counts as missing if recent entries would have it, judged by earlier ones.
 */
import type { LogFilter } from '@tapedeck/log-entries';
import { type Condition, everything, nameField } from '@tapedeck/log-query-language';
import type { StoredEntries } from '../ports/logQueries.ts';
import type { Rule, RuleMemory } from '../ports/records.ts';
import { composeRuleFilter, readSplit } from '../ruleQueries.ts';
import type { Watched } from './watchedRule.ts';

type Queries = Pick<StoredEntries, 'findFields'>;
type Noted = Pick<RuleMemory, 'fieldsSeen' | 'fieldGone'>;

const recentMs = 3 * 86_400_000;
const expectedLeast = 3; // entries that should have the field, judged by the last days; a rare field does not count as missing
const pollIntervalMs = { usual: 60_000, ofGone: 10_000 }; // for entries of one dataset, or of the whole project
const questionMsMax = 5_000;
const fieldsMax = 500; // CONTRACT.md, 9.2

/** Rules that need the same fields. */
type Place = { filter: LogFilter; paths: readonly string[]; rules: Watched[] };

/** The number of entries, in total and with each path. */
type Uses = { all: number; byPath: ReadonlyMap<string, number> };

export class MissingFields {
  readonly #queries: Queries;
  /** When each place was last checked, by the monotonic clock. */
  readonly #lookedAt = new Map<string, number>();
  readonly #needed = new WeakMap<Rule, readonly string[]>();

  constructor(queries: Queries) {
    this.#queries = queries;
  }

  /** Finds the missing fields of rules, starting with the rules unchecked for longest. Empty if it cannot tell now. */
  async look(
    rules: readonly Watched[],
    { now, signal }: { now: number; signal: AbortSignal },
  ): Promise<Map<Watched, Noted>> {
    const noted = new Map<Watched, Noted>();
    const places = this.#listPlaces(rules);
    for (const key of this.#lookedAt.keys()) if (!places.has(key)) this.#lookedAt.delete(key);
    const dueAt = ([key, place]: [string, Place]) =>
      (this.#lookedAt.get(key) ?? Number.NEGATIVE_INFINITY) +
      pollIntervalMs[isUnused(place) ? 'ofGone' : 'usual'];
    const [next] = [...places].toSorted((one, other) => dueAt(one) - dueAt(other));
    if (next === undefined || performance.now() < dueAt(next)) return noted;
    const [key, place] = next;
    this.#lookedAt.set(key, performance.now());
    try {
      const patience = AbortSignal.any([signal, AbortSignal.timeout(questionMsMax)]);
      const found = await this.#compare(place, { recentMicros: (now - recentMs) * 1000, signal: patience });
      for (const watched of place.rules) noted.set(watched, judgeFields(watched, place.paths, found));
    } catch {
      // The log store is unavailable or busy. The rules report that themselves.
    }
    return noted;
  }

  #listPlaces(rules: readonly Watched[]): Map<string, Place> {
    const places = new Map<string, Place>();
    for (const watched of rules) {
      const paths = this.#listNeeded(watched.rule);
      if (paths.length === 0) continue;
      const { project, dataset, condition } = watched.rule;
      const key = JSON.stringify([project, dataset, paths]);
      const place = places.get(key);
      if (place !== undefined) place.rules.push(watched);
      else {
        const filter = {
          ...composeRuleFilter({ project, dataset, query: '', condition }),
          condition: everything,
        };
        places.set(key, { filter, paths, rules: [watched] });
      }
    }
    return places;
  }

  #listNeeded(rule: Rule): readonly string[] {
    const known = this.#needed.get(rule);
    if (known !== undefined) return known;
    const needed = listNeededPaths(rule);
    this.#needed.set(rule, needed);
    return needed;
  }

  async #compare(
    { filter, paths }: Place,
    { recentMicros, signal }: { recentMicros: number; signal: AbortSignal },
  ): Promise<{ recent: Uses; before: Uses }> {
    const recent = await this.#count({ ...filter, fromMicros: recentMicros }, paths, signal);
    const isComplete = recent.all === 0 || paths.every(path => recent.byPath.has(path));
    const nothing: Uses = { all: 0, byPath: new Map() };
    if (isComplete) return { recent, before: nothing };
    return { recent, before: await this.#count({ ...filter, toMicros: recentMicros - 1 }, paths, signal) };
  }

  async #count(filter: LogFilter, paths: readonly string[], signal: AbortSignal): Promise<Uses> {
    const uses = [...(await this.#queries.findFields(filter, { prefix: '', limit: fieldsMax }, signal))];
    const all = uses.find(({ field }) => field.kind === 'level')?.entries ?? 0;
    if (uses.length === fieldsMax) {
      for (const path of paths) {
        const prefix = nameField({ kind: 'metadata', path });
        uses.push(...(await this.#queries.findFields(filter, { prefix, limit: fieldsMax }, signal)));
      }
    }
    const named = uses.flatMap(({ field, entries }) =>
      field.kind === 'metadata' && paths.includes(field.path) ? [[field.path, entries] as const] : [],
    );
    return { all, byPath: new Map(named) };
  }
}

function isUnused({ rules }: Place): boolean {
  return rules.some(({ watch }) => (watch.fieldGone ?? null) !== null);
}

function judgeFields(
  { watch }: Watched,
  paths: readonly string[],
  { recent, before }: { recent: Uses; before: Uses },
): Noted {
  if (recent.all === 0) return watch; // no entries arrived, which says nothing about fields
  const isSeen = (path: string) => recent.byPath.has(path) || watch.fieldsSeen?.includes(path) === true;
  const isMissed = (path: string) => {
    if (recent.byPath.has(path)) return false;
    const share = (before.byPath.get(path) ?? 0) / Math.max(1, before.all);
    return recent.all * (share > 0 ? share : isSeen(path) ? 1 : 0) >= expectedLeast;
  };
  const fieldGone = paths.find(isMissed) ?? null;
  return { fieldsSeen: paths.filter(path => isSeen(path) || before.byPath.has(path)), fieldGone };
}

export function reportMissingField({ dataset }: Pick<Rule, 'dataset'>, path: string): string {
  const where = dataset === null ? '' : ` in the dataset ${dataset}`;
  return `No entry of the last three days${where} has the field “${nameField({ kind: 'metadata', path })}”, though earlier ones had. If it is called otherwise by now, change the rule.`;
}

/** Lists the metadata paths that the rule needs to match anything. */
function listNeededPaths(rule: Rule): string[] {
  const split = readSplit(rule);
  const needed = split?.kind === 'metadata' ? [split.path] : [];
  try {
    needed.push(...listNeeded(composeRuleFilter(rule).condition));
  } catch {
    // The evaluation of the rule reports unreadable queries.
  }
  return [...new Set(needed)].sort();
}

function listNeeded(condition: Condition): string[] {
  switch (condition.kind) {
    case 'and':
      return condition.trees.flatMap(listNeeded);
    case 'or': {
      const [first = [], ...others] = condition.trees.map(listNeeded);
      return first.filter(path => others.every(paths => paths.includes(path)));
    }
    case 'field':
    case 'compare':
      return condition.field.kind === 'metadata' ? [condition.field.path] : [];
    default:
      return [];
  }
}
