/**
 * Caches when the patterns of a project first occur in each part, because finding that reads all of the part's entries. A part never
 * changes, so queries search only new parts, and results are exact.
 */
import type { LogFilter } from '@tapedeck/log-entries';
import { Binder } from '../../writer/engine/statements.ts';
import type { EngineAccess } from '../../writer/engine/supervision.ts';
import { localTable } from '../../writer/schema/schema.ts';
import { patternText } from '../fields.ts';
import { listParts, type Part, partsBoundMax } from '../parts.ts';
import { type Runner, runQuery } from '../queryRunner.ts';
import { bindParts, type RollupDeps } from '../rollups/counts.ts';

const firstsMax = 60_000; // per project, and for all projects together: about ten megabytes
const groupsShare = 0.3; // of a query's memory; beyond it, the engine puts groups on disk
const attemptsMax = 3; // merges replace parts now and then, but seldom the same parts twice in a row
const largeEntries = 300_000; // a larger part gets a separate statement, so that the engine uses the part's kept counts
const statementsMax = 16; // for such parts at a time

/** The first time of a pattern in a dataset, in Unix microseconds. */
type First = { dataset: string; pattern: string; micros: number };

/** The first times in one part; null: too many to cache. */
type Firsts = readonly First[] | null;

/** First times by server and part. */
type KnownParts = Map<string, Firsts>;

type FirstsRequest = { runner: Runner; access: EngineAccess; project: string; signal: AbortSignal };

type Kept = {
  server: number;
  known: KnownParts;
  kept: readonly (readonly [key: string, firsts: Firsts])[];
  standing: ReadonlySet<string>;
};

export class FirstSeenCache {
  /** By project, the most recently used last. */
  readonly #known = new Map<string, KnownParts>();

  /** Finds the first time of each pattern in these datasets; null if there are too many, or if parts keep changing. */
  async find(
    { runner, shards }: RollupDeps,
    { project, datasets }: Pick<LogFilter, 'project' | 'datasets'>,
    signal: AbortSignal,
  ): Promise<Map<string, number> | null> {
    const found = new Map<string, number>();
    for (const [server, access] of shards.entries()) {
      const parts = await this.#findOn(server, { runner: { ...runner, access }, access, project, signal });
      if (parts === null) return null;
      for (const { dataset, pattern, micros } of parts.flat())
        if (datasets === null || datasets.includes(dataset))
          found.set(pattern, Math.min(micros, found.get(pattern) ?? micros));
    }
    return found;
  }

  /** Finds the first times in the parts that existed at some moment after the call. */
  async #findOn(server: number, request: FirstsRequest): Promise<(readonly First[])[] | null> {
    const keyOf = ({ key }: Part) => `${server} ${key}`;
    let parts = await listFilled(request);
    for (let attempt = 0; attempt < attemptsMax && parts.length <= partsBoundMax; attempt++) {
      const known = this.#known.get(request.project) ?? new Map<string, Firsts>();
      const unread = parts.filter(part => !known.has(keyOf(part)));
      const read = unread.length === 0 ? [] : await readFirsts(request, unread);
      const now = unread.length === 0 ? parts : await listFilled(request);
      const standing = new Set(now.map(keyOf));
      // A part that is gone may have had no entries any more when it was read.
      const kept = read
        .map(([part, firsts]) => [keyOf(part), firsts] as const)
        .filter(([key]) => standing.has(key));
      const all = this.#remember(request.project, { server, known, kept, standing });
      if (kept.length === unread.length) {
        const held = parts.map(part => all.get(keyOf(part)) ?? known.get(keyOf(part)) ?? null);
        return held.includes(null) ? null : held.filter(firsts => firsts !== null);
      }
      parts = now;
    }
    return null;
  }

  /** Keeps a project's results for those parts of a server that still exist. */
  #remember(project: string, { server, known: before, kept, standing }: Kept): KnownParts {
    const isOfServer = (key: string) => key.startsWith(`${server} `);
    const known = new Map([...before, ...kept].filter(([key]) => !isOfServer(key) || standing.has(key)));
    this.#known.delete(project);
    this.#known.set(project, known);
    let rest = [...this.#known.values()].reduce((sum, parts) => sum + countFirsts(parts), 0);
    for (const [oldest, parts] of this.#known) {
      if (rest <= firstsMax) break;
      this.#known.delete(oldest);
      rest -= countFirsts(parts);
    }
    return known;
  }
}

function countFirsts(parts: KnownParts): number {
  let count = parts.size;
  for (const firsts of parts.values()) count += firsts?.length ?? 0;
  return count;
}

async function listFilled({ runner, access, signal }: FirstsRequest): Promise<Part[]> {
  return (await listParts(runner, access, signal)).filter(({ entries }) => entries > 0);
}

async function readFirsts(
  { runner, project, signal }: FirstsRequest,
  parts: readonly Part[],
): Promise<(readonly [Part, Firsts])[]> {
  const large = parts.filter(({ entries }) => entries >= largeEntries).slice(0, statementsMax);
  const others = parts.filter(part => !large.includes(part));
  const binder = new Binder();
  const groups = [...large.map(part => [part]), ...(others.length === 0 ? [] : [others])];
  const sources = groups.map(some => {
    const [name, grouped] =
      some.length === 1 ? [binder.bind('String', some[0]!.name), ''] : ['_part', '_part, '];
    return `SELECT ${name} AS part, dataset, ${patternText} AS text, toUnixTimestamp64Micro(min(timestamp))
      FROM ${localTable} WHERE project = ${binder.bind('String', project)} AND _part IN ${bindParts(some, binder)}
      GROUP BY ${grouped}dataset, pattern`;
  });
  // With a flood of patterns, each statement ends soon.
  const settings = {
    max_rows_to_group_by: firstsMax,
    group_by_overflow_mode: 'break',
    max_bytes_before_external_group_by: Math.floor(runner.memoryBytesMax * groupsShare),
  };
  const statement = { sql: sources.join(' UNION ALL '), parameters: binder.parameters, settings };
  const rows = await runQuery(runner, { weight: 'heavy', signal }, statement);
  if (rows.length > firstsMax) return parts.map(part => [part, null]);
  const found = new Map<string, First[]>(parts.map(({ name }) => [name, []]));
  // Matches the SELECT.
  for (const [part, dataset, pattern, micros] of rows as [string, string, string, number][])
    found.get(part)?.push({ dataset, pattern, micros });
  return parts.map(part => [part, found.get(part.name)!]);
}
