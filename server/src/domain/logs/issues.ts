/** Errors as issues: grouped by pattern, with whom they affect and what people decided about them. */
import { allOf, type Condition } from '@tapedeck/log-query-language';
import { type IssueState, limits, ServiceError } from '../../vocabulary.ts';
import { type Actor, describeActor, requireRole } from '../identity/principals.ts';
import { dayMs } from '../instants.ts';
import type { Clock } from '../ports/clock.ts';
import type { IssueDecision } from '../ports/issues.ts';
import type { FoundPatterns, LogBuckets, LogField, LogFilter, LogQueries } from '../ports/logQueries.ts';
import type { MetadataStore } from '../ports/metadata.ts';
import { changeManaged, type ManagementDeps } from '../projects/auditedChanges.ts';
import { findPlayerField } from './playerFields.ts';
import { layOutBuckets } from './search/buckets.ts';

type IssueDeps = {
  store: Pick<MetadataStore, 'read'>;
  clock: Clock;
  logQueries: Pick<LogQueries, 'countEntries' | 'findFields' | 'findPatterns' | 'findSeries'>;
};

type AskedIssues = {
  project: string;
  /** null: any of the project. */
  dataset: string | null;
  withWarnings: boolean;
  days: number;
};

type Pattern = FoundPatterns['patterns'][number];

export type Issue = Pattern & {
  state: IssueState;
  decision: Pick<IssueDecision, 'decidedAt' | 'decidedBy'> | null;
  /** How many different ones the entries name; null: no field of the matches says whom they are about. */
  players: number | null;
  resources: number;
};

type FoundIssues = {
  issues: Issue[];
  buckets: LogBuckets;
  /** The path that says which player an entry is about. */
  playerField: string | null;
  /** How many different patterns match. */
  total: number;
};

const bucketsCount = 42; // four hours each of a week: a small chart

export async function listIssues(
  { store, clock, logQueries }: IssueDeps,
  asked: AskedIssues,
  signal: AbortSignal,
): Promise<FoundIssues> {
  const now = clock.now();
  const span = { fromMicros: (now - asked.days * dayMs) * 1000, toMicros: now * 1000 };
  const filter: LogFilter = { ...composeFilter(asked), ...span };
  const buckets = layOutBuckets({ count: bucketsCount }, span);
  // Decisions are about one pattern.
  const question = { buckets, isNew: false, limit: limits.logPatternsMax, isUnmerged: true };
  const [found, playerField, decisions] = await Promise.all([
    logQueries.findPatterns(filter, question, signal),
    findPlayerField(logQueries, filter, signal),
    store.read.issues.list(asked.project),
  ]);
  const whole = layOutBuckets({ count: 1 }, span);
  const count = (field: LogField) => countAffected(logQueries, { filter, whole, field }, signal);
  const [players, resources] = await Promise.all([
    playerField && count(playerField),
    count({ kind: 'resource' }),
  ]);
  const byPattern = new Map(decisions.map(decision => [decision.pattern, decision]));
  const issues = found.patterns.map((pattern): Issue => {
    const decision = byPattern.get(pattern.pattern) ?? null;
    return {
      ...pattern,
      state: findState(pattern, decision),
      decision,
      players: players && (players.get(pattern.pattern) ?? 0),
      resources: resources.get(pattern.pattern) ?? 0,
    };
  });
  return { issues, buckets, playerField: playerField?.path ?? null, total: found.total };
}

function composeFilter({ project, dataset, withWarnings }: Omit<AskedIssues, 'days'>): LogFilter {
  const levels = withWarnings ? (['warn', 'error'] as const) : (['error'] as const);
  return {
    project,
    datasets: dataset === null ? null : [dataset],
    fromMicros: null,
    toMicros: null,
    condition: { kind: 'level', levels },
  };
}

/** How many different values a field has among the entries of each pattern. */
async function countAffected(
  logQueries: Pick<LogQueries, 'findSeries'>,
  { filter, whole, field }: { filter: LogFilter; whole: LogBuckets; field: LogField },
  signal: AbortSignal,
): Promise<Map<string, number>> {
  const by = { field: { kind: 'pattern' }, top: limits.logPatternsMax } as const;
  const question = { buckets: whole, by, measure: { statistic: 'unique', field } } as const;
  const series = await logQueries.findSeries(filter, question, signal);
  return new Map(series.flatMap(({ value, points }) => (value === null ? [] : [[value, points[0] ?? 0]])));
}

/** It happens again when an entry's own time is later than the decision. */
function findState({ lastMicros }: Pattern, decision: IssueDecision | null): IssueState {
  if (decision === null) return 'open';
  if (decision.state === 'ignored') return 'ignored';
  return lastMicros > decision.decidedAt * 1000 ? 'returned' : 'resolved';
}

type Change = { project: string; pattern: string; state: IssueDecision['state'] | 'open' };

/** null: it is open again. */
export async function decideIssue(
  deps: ManagementDeps & IssueDeps,
  actor: Actor,
  { change: { project, pattern, state }, signal }: { change: Change; signal: AbortSignal },
): Promise<IssueDecision | null> {
  requireRole(actor, project, 'member');
  await requireIssue(deps, { project, pattern }, signal);
  return changeManaged(deps, actor, async ({ records, now, audit }) => {
    await audit({ project, action: `issue.${state}`, target: pattern, details: {} });
    if (state === 'open') {
      await records.issues.remove(project, pattern);
      return null;
    }
    const decision = { project, pattern, state, decidedAt: now, decidedBy: describeActor(actor) };
    await records.issues.put(decision);
    return decision;
  });
}

async function requireIssue(
  { logQueries }: IssueDeps,
  { project, pattern }: { project: string; pattern: string },
  signal: AbortSignal,
): Promise<void> {
  const filter = composeFilter({ project, dataset: null, withWarnings: true });
  const own: Condition = {
    kind: 'field',
    field: { kind: 'pattern' },
    values: [{ kind: 'equals', text: pattern }],
  };
  const entries = await logQueries.countEntries(
    { ...filter, condition: allOf([filter.condition, own]) },
    signal,
  );
  if (entries > 0) return;
  throw new ServiceError('not_found', 'No error or warning of the project has this pattern.');
}
