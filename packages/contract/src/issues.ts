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
  description: '16 hexadecimal digits that identify a pattern, or an issue merged from several.',
});
const Decision = {
  decidedAt: nullable(Instant),
  decidedBy: nullable(Type.String({ description: 'User or token that resolved or ignored the issue.' })),
};

export const IssueRecord = Type.Object({
  pattern: IssuePattern,
  patterns: Type.Array(IssuePattern, {
    description: 'The patterns of this issue, most frequent first, at most 100.',
  }),
  variants: Type.Integer({ description: 'Number of patterns in this issue; 1 if none were merged.' }),
  merged: Type.Boolean({
    description: 'true: merged from patterns that differ only in words, which are <*> in the template.',
  }),
  template: Type.String({ examples: ['tick took <n> ms'] }),
  paths: Type.Array(Type.String(), { description: 'The metadata paths in the template.' }),
  sample: Type.String({ description: 'The body of one of the entries.' }),
  state: Type.Enum(issueStates, {
    description: 'returned: the issue was resolved, but has a newer entry.',
  }),
  ...Decision,
  entries: Type.Integer({ description: 'Number of entries in the requested days.' }),
  levels: LevelCounts,
  players: nullable(
    Type.Integer({ description: 'Number of different values of playerField; null if that is null.' }),
  ),
  resources: Type.Integer({ description: 'Number of different resources.' }),
  firstSeenAt: Type.String({ description: 'Time of the first entry, even before the requested days.' }),
  lastSeenAt: Type.String(),
  counts: Type.Array(Type.Integer(), { description: 'Number of entries in each bucket.' }),
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
    dataset: Type.Optional(
      Type.String({ pattern: patterns.datasets, description: 'Dataset; all datasets if absent or *.' }),
    ),
    warnings: Type.Optional(Type.Boolean({ description: 'true to include entries of level warn.' })),
    days: Type.Optional(
      Type.Integer({ minimum: 1, maximum: limits.issueDaysMax, default: limits.issueDaysDefault }),
    ),
  }),
  answer: Type.Object({
    issues: Type.Array(IssueRecord),
    timestamps: Type.Array(Type.String(), { description: 'Start of each bucket.' }),
    playerField: nullable(
      Type.String({ description: 'Metadata path that identifies players; null if none was found.' }),
    ),
    total: Type.Integer({ description: 'Number of matching issues, in any state.' }),
  }),
  errors: [],
});

export const decideIssue = defineRoute({
  id: 'decideIssue',
  method: 'PATCH',
  path: `${path}/{pattern}`,
  area,
  summary: 'Resolve or ignore an issue, or open it again. A resolved issue returns when it happens again.',
  access: { by: 'manager', role: 'member' },
  params: Type.Object({ ...ProjectParams.properties, pattern: IssuePattern }),
  body: Type.Object({
    state: Type.Enum(['open', ...decidedIssueStates]),
    template: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: templateLengthMax,
        description: 'Template of an issue merged from several patterns; omit it for other issues.',
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
