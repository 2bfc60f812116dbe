/** Alert rules of a project. */
import Type from 'typebox';
import { defineRoute, StatusOk } from './route.ts';
import { Id, Instant, Name, nullable, PageLimit, ProjectParams } from './values.ts';
import { limits, patterns, ruleKinds, severities } from './vocabulary.ts';

const area = 'Rules';
const path = '/api/manage/projects/{project}/rules';

export const RuleCondition = Type.Object(
  {
    op: Type.Optional(Type.Enum(['>=', '<'])),
    value: Type.Optional(Type.Number({ minimum: 0, maximum: limits.ruleValueMax })),
    factor: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: limits.ruleValueMax })),
  },
  {
    description:
      'Depends on `kind`. count: {op, value}. change: at least `value` entries, and `factor` times the count of the window before. storage: `value` percent of a quota. Others: {}. issue fires on errors of a pattern that is new, or that was resolved and came back.',
  },
);
export const RuleDataset = nullable(
  Type.String({ pattern: patterns.datasets, description: 'Dataset of the entries; null or *: any dataset.' }),
);
export const RuleField = nullable(
  Type.String({
    maxLength: limits.ruleFieldCharactersMax,
    description: 'Field that splits the rule: each of its values has its own state.',
  }),
);
export const RuleChannels = Type.Array(Id, { maxItems: limits.ruleChannelsMax, uniqueItems: true });
const Settings = {
  name: Name,
  severity: Type.Optional(Type.Enum(severities, { default: 'warning' })),
  enabled: Type.Optional(Type.Boolean({ default: true })),
  kind: Type.Enum(ruleKinds),
  query: Type.Optional(
    Type.String({
      maxLength: limits.ruleQueryCharactersMax,
      description: 'Query for the entries; empty: all.',
    }),
  ),
  dataset: Type.Optional(RuleDataset),
  by: Type.Optional(RuleField),
  condition: Type.Optional(RuleCondition),
  windowSeconds: Type.Optional(
    Type.Integer({ minimum: limits.ruleWindowSecondsMin, maximum: limits.ruleWindowSecondsMax }),
  ),
  channels: Type.Optional(RuleChannels),
  mutedUntil: Type.Optional(nullable(Instant)),
};
const examples = [
  {
    name: 'Many errors',
    kind: 'count',
    query: 'level:error',
    condition: { op: '>=', value: 10 },
    windowSeconds: 300,
  },
];
const Body = Type.Object(Settings, { examples });

export const RuleWarnings = Type.Array(
  Type.Object({ code: Type.Enum(['no_channel', 'fires_often', 'foreign_target']), message: Type.String() }),
  { description: 'Warnings about settings that work but may not do what you intend.' },
);
export const RuleRecord = Type.Object({
  id: Id,
  name: Type.String(),
  severity: Type.Enum(severities),
  enabled: Type.Boolean(),
  kind: Type.Enum(ruleKinds),
  query: Type.String(),
  dataset: nullable(Type.String()),
  by: nullable(Type.String()),
  condition: RuleCondition,
  windowSeconds: Type.Integer(),
  channels: Type.Array(Id),
  mutedUntil: nullable(Instant),
  state: Type.Enum(['quiet', 'firing']),
  firing: Type.Array(
    Type.Object({
      value: nullable(Type.String()),
      since: Instant,
      count: Type.Number(),
      acknowledged: nullable(
        Type.Object(
          { by: Type.String(), at: Instant },
          { description: 'Who is working on the alert, and since when.' },
        ),
      ),
    }),
  ),
  warnings: RuleWarnings,
  crowded: Type.Boolean({
    description: `Whether the field had more values than the ${limits.ruleValuesMax} that can have a state.`,
  }),
  trouble: nullable(
    Type.String({ description: 'Why the rule cannot be evaluated now, or will find nothing.' }),
  ),
  lastFiredAt: nullable(Instant),
  createdAt: Instant,
  createdBy: Type.String(),
});
const RuleParams = Type.Object({ ...ProjectParams.properties, rule: Id });
const RuleAnswer = Type.Object({ rule: RuleRecord });
const Preview = Type.Object({
  fired: Type.Integer({
    description:
      'How often the rule would have fired in the last seven days, by the times of the entries. issue: new issues only; session_quiet: in the last day; storage: by current usage.',
  }),
  times: Type.Array(Instant, { description: 'The first hundred times at which the rule would have fired.' }),
  warnings: RuleWarnings,
  windows: nullable(
    Type.Object(
      {
        startAt: Instant,
        intervalSeconds: Type.Integer(),
        series: Type.Array(
          Type.Object({
            value: nullable(Type.String({ description: 'Value of the field that splits the rule.' })),
            highest: Type.Array(
              Type.Number({ description: 'Most entries in any window that ended in the interval.' }),
            ),
            lowest: Type.Array(
              Type.Number({ description: 'Fewest entries in any window that ended in the interval.' }),
            ),
          }),
        ),
      },
      { description: 'Entries per window over time, for a chart; null: the kind has no windows.' },
    ),
  ),
});

export const listRules = defineRoute({
  id: 'listRules',
  method: 'GET',
  path,
  area,
  summary: 'List the rules of the project and their states, by name.',
  access: { by: 'manager', role: 'viewer' },
  params: ProjectParams,
  answer: Type.Object({ rules: Type.Array(RuleRecord) }),
  errors: [],
});

export const createRule = defineRoute({
  id: 'createRule',
  method: 'POST',
  path,
  area,
  summary: 'Add a rule. It checks entries that arrive from now on.',
  access: { by: 'manager', role: 'admin' },
  params: ProjectParams,
  body: Body,
  bodyBytesMax: limits.ruleBodyBytesMax,
  answer: RuleAnswer,
  errors: ['name_taken', 'query_invalid'],
});

export const getRule = defineRoute({
  id: 'getRule',
  method: 'GET',
  path: `${path}/{rule}`,
  area,
  summary: 'Get a rule and its state.',
  access: { by: 'manager', role: 'viewer' },
  params: RuleParams,
  answer: RuleAnswer,
  errors: ['not_found'],
});

export const updateRule = defineRoute({
  id: 'updateRule',
  method: 'PATCH',
  path: `${path}/{rule}`,
  area,
  summary: 'Change a rule. With a new query or condition, it starts over.',
  access: { by: 'manager', role: 'admin' },
  params: RuleParams,
  body: Type.Partial(Body),
  bodyBytesMax: limits.ruleBodyBytesMax,
  answer: RuleAnswer,
  errors: ['not_found', 'name_taken', 'query_invalid'],
});

export const deleteRule = defineRoute({
  id: 'deleteRule',
  method: 'DELETE',
  path: `${path}/{rule}`,
  area,
  summary: 'Remove a rule and its history.',
  access: { by: 'manager', role: 'admin' },
  params: RuleParams,
  answer: StatusOk,
  errors: ['not_found'],
});

export const listRuleHistory = defineRoute({
  id: 'listRuleHistory',
  method: 'GET',
  path: `${path}/{rule}/history`,
  area,
  summary: 'List when a rule fired, was acknowledged and was resolved in the last thirty days, newest first.',
  access: { by: 'manager', role: 'viewer' },
  params: RuleParams,
  query: Type.Object({ before: Type.Optional(Id), limit: PageLimit }),
  answer: Type.Object({
    changes: Type.Array(
      Type.Object({
        id: Id,
        kind: Type.Enum(['fired', 'resolved', 'acknowledged']),
        at: Instant,
        value: nullable(Type.String()),
        count: Type.Number(),
        muted: Type.Boolean(),
        by: nullable(Type.String({ description: 'Who acknowledged the alert.' })),
        entries: Type.Array(
          Type.Object({
            at: Instant,
            level: Type.String(),
            resource: nullable(Type.String()),
            message: Type.String(),
          }),
          { description: 'Up to three entries that made the rule fire.' },
        ),
      }),
    ),
    nextBefore: nullable(Id),
  }),
  errors: ['not_found'],
});

export const acknowledgeAlert = defineRoute({
  id: 'acknowledgeAlert',
  method: 'POST',
  path: `${path}/{rule}/acknowledge`,
  area,
  summary:
    'Acknowledge an alert, so that others see that you are working on it. The acknowledgement ends when the alert is resolved.',
  access: { by: 'manager', role: 'admin' },
  params: RuleParams,
  body: Type.Object({
    value: Type.Optional(
      nullable(
        Type.String({
          maxLength: limits.ruleValueCharactersMax,
          description: 'Value of the field that splits the rule; absent or null: all firing values.',
        }),
      ),
    ),
  }),
  bodyBytesMax: limits.ruleBodyBytesMax,
  answer: RuleAnswer,
  errors: ['not_found', 'not_firing'],
});

export const previewRule = defineRoute({
  id: 'previewRule',
  method: 'POST',
  path: `${path}/preview`,
  area,
  summary: 'Count how often a rule would have fired in the last seven days, without saving it.',
  access: { by: 'manager', role: 'viewer' },
  params: ProjectParams,
  body: Type.Object({ ...Settings, name: Type.Optional(Name) }, { examples }),
  bodyBytesMax: limits.ruleBodyBytesMax,
  answer: Preview,
  errors: ['query_invalid'],
});

export const previewSavedRule = defineRoute({
  id: 'previewSavedRule',
  method: 'POST',
  path: `${path}/{rule}/preview`,
  area,
  summary:
    'Count how often a saved rule would have fired in the last seven days, with the changes in the body.',
  access: { by: 'manager', role: 'viewer' },
  params: RuleParams,
  body: Type.Partial(Body),
  bodyBytesMax: limits.ruleBodyBytesMax,
  answer: Preview,
  errors: ['not_found', 'query_invalid'],
});
