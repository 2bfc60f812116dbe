/** Errors of a project as issues: grouped by pattern, open, resolved or ignored. */
import Type from 'typebox';
import { LevelCounts } from './logs.ts';
import { defineRoute } from './route.ts';
import { Instant, nullable, ProjectParams } from './values.ts';
import { decidedIssueStates, issueStates, limits, patterns } from './vocabulary.ts';

const area = 'Issues';
const path = '/api/manage/projects/{project}/issues';

const templateLengthMax = 2_000;
export const IssuePattern = Type.String({
  pattern: patterns.logPattern,
  description: '16 hexadecimal digits, also of a merged one.',
});
const Decision = {
  decidedAt: nullable(Instant),
  decidedBy: nullable(Type.String({ description: 'Who resolved or ignored it.' })),
};

export const IssueRecord = Type.Object({
  pattern: IssuePattern,
  patterns: Type.Array(IssuePattern, { description: 'Each of them, the most frequent first, 100 at most.' }),
  variants: Type.Integer({ description: 'How many patterns were merged; 1: none.' }),
  merged: Type.Boolean({
    description: 'true: the patterns differ only in words, which are <*> in the template.',
  }),
  template: Type.String({ examples: ['tick took <n> ms'] }),
  paths: Type.Array(Type.String(), { description: 'The metadata paths in the template.' }),
  sample: Type.String({ description: 'The body of one of the entries.' }),
  state: Type.Enum(issueStates, {
    description: 'returned: it was resolved, and an entry is newer than that.',
  }),
  ...Decision,
  entries: Type.Integer({ description: 'In the days asked about.' }),
  levels: LevelCounts,
  players: nullable(
    Type.Integer({ description: 'Different values of playerField; null: no entry says whom it is about.' }),
  ),
  resources: Type.Integer({ description: 'Different resources.' }),
  firstSeenAt: Type.String({ description: 'In all time.' }),
  lastSeenAt: Type.String(),
  counts: Type.Array(Type.Integer(), { description: 'By bucket.' }),
});

export const listIssues = defineRoute({
  id: 'listIssues',
  method: 'GET',
  path,
  area,
  summary: `List errors grouped by pattern, most frequent first, at most ${limits.logPatternsMax}.`,
  access: { by: 'manager', role: 'viewer' },
  params: ProjectParams,
  query: Type.Object({
    state: Type.Optional(Type.Enum(issueStates)),
    dataset: Type.Optional(Type.String({ pattern: patterns.datasets, description: '* or absent: all.' })),
    warnings: Type.Optional(Type.Boolean({ description: 'true: entries of level warn as well.' })),
    days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: limits.issueDaysMax, default: limits.issueDaysDefault }),
    ),
  }),
  answer: Type.Object({
    issues: Type.Array(IssueRecord),
    timestamps: Type.Array(Type.String(), { description: 'When each bucket begins.' }),
    playerField: nullable(Type.String({ description: 'The path that tells players apart.' })),
    total: Type.Integer({ description: 'How many patterns match, in any state.' }),
  }),
  errors: [],
});

export const decideIssue = defineRoute({
  id: 'decideIssue',
  method: 'PATCH',
  path: `${path}/{pattern}`,
  area,
  summary: 'Resolve or ignore an issue, or open it again. A resolved one returns when it happens again.',
  access: { by: 'manager', role: 'member' },
  params: Type.Object({ ...ProjectParams.properties, pattern: IssuePattern }),
  body: Type.Object({
    state: Type.Enum(['open', ...decidedIssueStates]),
    template: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: templateLengthMax,
        description: 'Of an issue that was merged from several patterns: its template. Others have none.',
      }),
    ),
  }),
  answer: Type.Object({
    issue: Type.Object({
      pattern: IssuePattern,
      state: Type.Enum(['open', ...decidedIssueStates]),
      ...Decision,
    }),
  }),
  errors: ['not_found'],
});
