/** Groups errors into issues by pattern, with affected players and people's decisions. */
import { allOf, type Condition } from '@tapedeck/log-query-language';
import { type Actor, describeActor, requireRole } from '../identity/principals.ts';
import { dayMs } from '../instants.ts';
import type { Clock } from '../ports/clock.ts';
import type { IssueDecision } from '../ports/issues.ts';
import type { FoundPatterns, LogBuckets, LogField, LogFilter, LogQueries } from '../ports/logQueries.ts';
import type { MetadataStore } from '../ports/metadata.ts';
import { changeManaged, type ManagementDeps } from '../projects/auditedChanges.ts';
import { type IssueState, limits, ServiceError } from '../vocabulary.ts';
import { compileDecisions, digestTemplate, isMerged } from './issueDecisions.ts';
import { findPlayerField } from './playerFields.ts';
import { layOutBuckets } from './search/buckets.ts';

type IssueDeps = {
  store: Pick<MetadataStore, 'read'>;
  clock: Clock;
  logQueries: Pick<LogQueries, 'countEntries' | 'findFields' | 'findPatterns'>;
};

type IssuesRequest = {
  project: string;
  /** null: all datasets. */
  dataset: string | null;
  withWarnings: boolean;
  days: number;
};

type Pattern = FoundPatterns['patterns'][number];

export type Issue = Omit<Pattern, 'pattern'> & {
  /** 16 hexadecimal digits, even for issues merged from several patterns. */
  pattern: string;
  state: IssueState;
  decision: Pick<IssueDecision, 'decidedAt' | 'decidedBy'> | null;
  /** How many different players the entries name; null: no field of the matches names players. */
  players: number | null;
  resources: number;
};

type FoundIssues = {
  issues: Issue[];
  buckets: LogBuckets;
  /** The metadata path that holds the player. */
  playerField: string | null;
  total: number;
};

const bucketsCount = 42; // four hours each in a week: a small chart
const auditedCharactersMax = 200; // as much as the audit log shows in a line or two
/** Asks for a pattern's text alone; one bucket holds all times. */
const textQuestion = {
  buckets: { startMicros: 0, intervalMicros: Number.MAX_SAFE_INTEGER, count: 1 },
  isNew: false,
  limit: 1,
};

export async function listIssues(
  { store, clock, logQueries }: IssueDeps,
  request: IssuesRequest,
  signal: AbortSignal,
): Promise<FoundIssues> {
  const now = clock.now();
  const span = { fromMicros: (now - request.days * dayMs) * 1000, toMicros: now * 1000 };
  const filter: LogFilter = { ...composeFilter(request), ...span };
  const buckets = layOutBuckets({ count: bucketsCount }, span);
  const playerField = await findPlayerField(logQueries, filter, signal);
  const fields: LogField[] = [{ kind: 'resource' }, ...(playerField === null ? [] : [playerField])];
  const question = {
    buckets,
    isNew: false,
    limit: limits.logPatternsMax,
    areWhole: true,
    unique: fields,
  };
  const [found, decisions] = await Promise.all([
    logQueries.findPatterns(filter, question, signal),
    store.read.issues.list(request.project),
  ]);
  const find = compileDecisions(decisions);
  const issues = found.patterns.map((pattern): Issue => {
    const decision = find(pattern);
    const [resources = 0, players = null] = pattern.unique;
    return {
      ...pattern,
      pattern: pattern.merged ? digestTemplate(pattern.template) : pattern.pattern,
      state: findState(pattern, decision),
      decision,
      players,
      resources,
    };
  });
  return { issues, buckets, playerField: playerField?.path ?? null, total: found.total };
}

function composeFilter({ project, dataset, withWarnings }: Omit<IssuesRequest, 'days'>): LogFilter {
  const levels = withWarnings ? (['warn', 'error'] as const) : (['error'] as const);
  return {
    project,
    datasets: dataset === null ? null : [dataset],
    fromMicros: null,
    toMicros: null,
    condition: { kind: 'level', levels },
  };
}

/** An issue has returned if an entry's own time is later than the decision. */
function findState({ lastMicros }: Pattern, decision: IssueDecision | null): IssueState {
  if (decision === null) return 'open';
  if (decision.state === 'ignored') return 'ignored';
  return lastMicros > decision.decidedAt * 1000 ? 'returned' : 'resolved';
}

type Change = {
  project: string;
  pattern: string;
  /** The template of several merged patterns; null: a single pattern. */
  template: string | null;
  state: IssueDecision['state'] | 'open';
};

/** Returns null if the issue is open again. */
export async function decideIssue(
  deps: ManagementDeps & IssueDeps,
  actor: Actor,
  { change, signal }: { change: Change; signal: AbortSignal },
): Promise<IssueDecision | null> {
  const { project, pattern, template, state } = change;
  requireRole(actor, project, 'member');
  const text = cutText(await requireIssue(deps, change, signal), auditedCharactersMax);
  return changeManaged(deps, actor, async ({ records, now, audit }) => {
    await audit({ project, action: `issue.${state}`, target: pattern, details: { pattern: text } });
    const about = { project, pattern: template ?? pattern };
    const decision = { ...about, state, decidedAt: now, decidedBy: describeActor(actor) };
    const decided = await records.issues.list(project);
    // With merged patterns, other decisions may cover the same entries.
    const mayOverlap = template !== null || decided.some(one => isMerged(one.pattern));
    if (state !== 'open' || mayOverlap) await records.issues.put(decision);
    else await records.issues.remove(project, pattern);
    return state === 'open' ? null : decision;
  });
}

/** Returns the issue's text, which names it for people. */
async function requireIssue(
  { logQueries }: IssueDeps,
  { project, pattern, template }: Change,
  signal: AbortSignal,
): Promise<string> {
  const filter = composeFilter({ project, dataset: null, withWarnings: true });
  const own: Condition = {
    kind: 'field',
    field: { kind: 'pattern' },
    values: [{ kind: 'equals', text: template ?? pattern }],
  };
  const named = { ...filter, condition: allOf([filter.condition, own]) };
  if (template === null) {
    const { total, patterns } = await logQueries.findPatterns(named, textQuestion, signal);
    if (total > 0) return patterns[0]?.template ?? pattern;
  } else if (digestTemplate(template) === pattern && (await logQueries.countEntries(named, signal)) > 0) {
    return template;
  }
  throw new ServiceError('not_found', 'No error or warning of the project has this pattern.');
}

function cutText(text: string, charactersMax: number): string {
  const characters = Array.from(text);
  return characters.length > charactersMax ? `${characters.slice(0, charactersMax - 1).join('')}…` : text;
}
