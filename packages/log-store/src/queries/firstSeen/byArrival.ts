/** Finds patterns that first arrived in a dataset within a span of arrival. */
import type { LogFilter } from '@tapedeck/log-entries';
import { Binder, bindMicros } from '../../writer/engine/statements.ts';
import { formatDatasets } from '../conditions.ts';
import type { CountDeps } from '../counts.ts';
import { patternText } from '../fields.ts';
import type { ArrivedCount, NewPattern, SettledSpan } from '../logQueries.ts';
import { runQuery } from '../queryRunner.ts';
import { countSplit } from '../rules/counts.ts';

const patternsMax = 200; // per query: more than users read
const rememberedMax = 100_000; // a few megabytes
const rememberedMsMax = 600_000; // a dataset may be emptied meanwhile

type NewPatternsRequest = { span: SettledSpan; signal: AbortSignal };

/** Caches older patterns, because most arriving entries have one of them. */
export class NewPatterns {
  readonly #deps: CountDeps;
  /** By pattern: a time in microseconds before which an entry with it had arrived. */
  readonly #known = new Map<string, number>();
  #clearedAt = performance.now();

  constructor(deps: CountDeps) {
    this.#deps = deps;
  }

  async find(filters: readonly LogFilter[], request: NewPatternsRequest): Promise<NewPattern[][]> {
    const counted = await countSplit(this.#deps, filters, { split: { kind: 'datasetPattern' }, ...request });
    const found = counted.map(listFrequent);
    const byProject = Map.groupBy(filters.keys(), index => filters[index]!.project);
    for (const [project, indices] of byProject) {
      const own = indices.flatMap(index => found[index]!);
      await this.#learn(
        project,
        own.filter(pattern => !this.#isKnown(project, pattern, request.span)),
        request,
      );
    }
    return found.map((patterns, index) =>
      patterns.filter(pattern => !this.#isKnown(filters[index]!.project, pattern, request.span)),
    );
  }

  #isKnown(project: string, pattern: NewPattern, { fromMicros }: SettledSpan): boolean {
    const before = this.#known.get(keyOf(project, pattern));
    return before !== undefined && before <= fromMicros;
  }

  /** Learns which of these arrived before the span. */
  async #learn(
    project: string,
    patterns: readonly NewPattern[],
    { span: { fromMicros }, signal }: NewPatternsRequest,
  ): Promise<void> {
    if (this.#known.size > rememberedMax || performance.now() - this.#clearedAt > rememberedMsMax) {
      this.#known.clear();
      this.#clearedAt = performance.now();
    }
    if (patterns.length === 0) return;
    const binder = new Binder();
    const numbers = new Set(patterns.map(({ pattern }) => BigInt(`0x${pattern}`)));
    const conditions = [
      `project = ${binder.bind('String', project)}`,
      ...formatDatasets([...new Set(patterns.map(({ dataset }) => dataset))], binder),
      `pattern IN ${binder.bind('Array(UInt64)', `[${[...numbers].join()}]`)}`,
      `arrivedAt < ${bindMicros(fromMicros, binder)}`,
    ];
    const sql = `SELECT DISTINCT dataset, ${patternText} FROM ${this.#deps.table} WHERE ${conditions.join(' AND ')}`;
    const rows = await runQuery(
      this.#deps.runner,
      { weight: 'light', signal },
      { sql, parameters: binder.parameters },
    );
    // Matches the SELECT.
    for (const [dataset, pattern] of rows as [string, string][])
      this.#known.set(keyOf(project, { dataset, pattern }), fromMicros);
  }
}

function keyOf(project: string, { dataset, pattern }: Pick<NewPattern, 'dataset' | 'pattern'>): string {
  return `${project}/${dataset}/${pattern}`;
}

function listFrequent(counts: readonly ArrivedCount[]): NewPattern[] {
  const byValue = Map.groupBy(counts, ({ value }) => value);
  const patterns = [...byValue].map(([value, own]): NewPattern => {
    const [dataset = '', pattern = ''] = value.split('/'); // as `countSplit` writes it
    const count = own.reduce((sum, one) => sum + one.count, 0);
    return { dataset, pattern, count, ms: Math.min(...own.map(({ ms }) => ms)) };
  });
  const isLess = (one: NewPattern, other: NewPattern) =>
    one.dataset + one.pattern < other.dataset + other.pattern ? -1 : 1;
  return patterns
    .toSorted((one, other) => other.count - one.count || isLess(one, other))
    .slice(0, patternsMax);
}
