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
      'count: {op, value}. change: at least value entries, and factor times the window before. storage: value per cent of a quota. Others: {}. issue: errors of a pattern that is new, or that was resolved and came back.',
  },
);
export const RuleDataset = nullable(
  Type.String({ pattern: patterns.datasets, description: 'null or *: any.' }),
);
export const RuleField = nullable(
  Type.String({
    maxLength: limits.ruleFieldCharactersMax,
    description: 'A field whose values have a state each.',
  }),
);
export const RuleChannels = Type.Array(Id, { maxItems: limits.ruleChannelsMax, uniqueItems: true });
const Settings = {
  name: Name,
  severity: Type.Optional(Type.Enum(severities, { default: 'warning' })),
  enabled: Type.Optional(Type.Boolean({ default: true })),
  kind: Type.Enum(ruleKinds),
  query: Type.Optional(
    Type.String({ maxLength: limits.ruleQueryCharactersMax, description: 'Which entries; empty: all.' }),
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
  { description: 'What works, though perhaps not as it is meant.' },
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
        Type.Object({ by: Type.String(), at: Instant }, { description: 'Who works on it, and since when.' }),
      ),
    }),
  ),
  warnings: RuleWarnings,
  crowded: Type.Boolean({
    description: `Whether there were more values than the ${limits.ruleValuesMax} that have a state each.`,
  }),
  trouble: nullable(
    Type.String({ description: 'Why it cannot be judged at present, or will find nothing.' }),
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
      'How often it would have fired in the last seven days, by the times of the entries. issue: new ones alone; session_quiet: in the last day; storage: by what is in use now.',
  }),
  times: Type.Array(Instant, { description: 'When, the first hundred times.' }),
  warnings: RuleWarnings,
  windows: nullable(
    Type.Object(
      {
        startAt: Instant,
        intervalSeconds: Type.Integer(),
        series: Type.Array(
          Type.Object({
            value: nullable(Type.String({ description: 'Of the field that splits the rule.' })),
            highest: Type.Array(Type.Number({ description: 'Most entries in a window that ended then.' })),
            lowest: Type.Array(Type.Number({ description: 'Fewest entries in a window that ended then.' })),
          }),
        ),
      },
      { description: 'How full windows were, to draw a threshold beside; null: the kind has no windows.' },
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
        by: nullable(Type.String({ description: 'Who acknowledged it.' })),
        entries: Type.Array(
          Type.Object({
            at: Instant,
            level: Type.String(),
            resource: nullable(Type.String()),
            message: Type.String(),
          }),
          { description: 'Up to three entries that made it fire.' },
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
          description: 'One value of a rule that is split; absent or null: all that fires.',
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
