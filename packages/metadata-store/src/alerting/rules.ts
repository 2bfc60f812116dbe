/** Stores rules and their state as rows. */
import type { Rule, RuleChange, RuleMemories, RuleMemory, RuleRecords } from '@tapedeck/alerting';
import type { RowOf } from '@tapedeck/metadata-database';
import { splitIntoChunks } from '../queryChunks.ts';
import type { Queries } from '../schema.ts';
import { ruleChanges, rules, ruleWatches } from '../tables/alerting.ts';
import { deleteRow, refusingDuplicates } from '../writeOutcomes.ts';

export function buildRuleRecords(queries: Queries): RuleRecords {
  const select = () => queries.selectFrom('rules').selectAll('rules');
  const enabled = () =>
    queries
      .selectFrom('rules')
      .innerJoin('projects', 'projects.slug', 'rules.project')
      .where('projects.deleted_at', 'is', null)
      .where('rules.enabled', '=', 1);
  return {
    insert: rule =>
      refusingDuplicates('rule', () => queries.insertInto('rules').values(rules.compose(rule)).execute()),
    update: rule =>
      refusingDuplicates('rule', async () => {
        const { id, project: _project, created_at: _at, created_by: _by, ...changes } = rules.compose(rule);
        await queries.updateTable('rules').set(changes).where('id', '=', id).execute();
      }),
    remove: id => deleteRow(queries.deleteFrom('rules').where('id', '=', id)),
    find: async id => {
      const row = await select().where('id', '=', id).executeTakeFirst();
      return row === undefined ? null : parseRule(row);
    },
    list: async project =>
      (await select().where('project', '=', project).orderBy('name').execute()).map(parseRule),
    count: async project => {
      const query = queries.selectFrom('rules').select(({ fn }) => fn.countAll().as('rules'));
      return Number((await query.where('project', '=', project).executeTakeFirstOrThrow()).rules);
    },
    countEnabled: async () => {
      const query = enabled().select(({ fn }) => fn.countAll().as('rules'));
      return Number((await query.executeTakeFirstOrThrow()).rules);
    },
    listEnabled: async () =>
      (await enabled().selectAll('rules').orderBy('rules.id').execute()).map(parseRule),
  };
}

export function buildRuleMemories(queries: Queries): RuleMemories {
  const select = () => queries.selectFrom('rule_watches').selectAll('rule_watches');
  return {
    list: async project => {
      const rows =
        project === null
          ? select()
          : select().innerJoin('rules', 'rules.id', 'rule_watches.rule').where('rules.project', '=', project);
      return (await rows.orderBy('rule_watches.rule').execute()).map(parseWatch);
    },
    find: async rule => {
      const row = await select().where('rule', '=', rule).executeTakeFirst();
      return row === undefined ? null : parseWatch(row);
    },
    replace: async (watch, judgedBefore) => {
      const { rule, ...memory } = composeWatch(watch);
      if (judgedBefore === null) {
        const insert = queries.insertInto('rule_watches').values({ rule, ...memory });
        const once = insert.onConflict(conflict => conflict.column('rule').doNothing());
        return ((await once.executeTakeFirst()).numInsertedOrUpdatedRows ?? 0n) > 0n;
      }
      const update = queries.updateTable('rule_watches').set(memory).where('rule', '=', rule);
      return (await update.where('judged_at', '=', judgedBefore).executeTakeFirst()).numUpdatedRows > 0n;
    },
    record: async changes => {
      for (const chunk of splitIntoChunks(changes)) {
        const rows = chunk.map(({ entries, ...change }) =>
          ruleChanges.compose({ ...change, entries: entries.length === 0 ? null : entries }),
        );
        await queries.insertInto('rule_changes').values(rows).execute();
      }
    },
    listChanges: async ({ rule, beforeId, limit }) => {
      const ofRule = queries.selectFrom('rule_changes').selectAll().where('rule', '=', rule);
      const page = beforeId === null ? ofRule : ofRule.where('id', '<', beforeId);
      return (await page.orderBy('id', 'desc').limit(limit).execute()).map(parseChange);
    },
  };
}

function parseRule(row: RowOf<typeof rules>): Rule {
  const rule = rules.parse(row);
  return { ...rule, severity: rule.severity ?? 'warning' };
}

function composeWatch({ rule, generation, judgedAt, trouble, ...memory }: RuleMemory) {
  return ruleWatches.compose({ rule, generation, judgedAt, trouble, memory });
}

function parseWatch(row: RowOf<typeof ruleWatches>): RuleMemory {
  const { memory, ...watch } = ruleWatches.parse(row);
  return { ...watch, ...memory };
}

function parseChange(row: RowOf<typeof ruleChanges>): RuleChange {
  const change = ruleChanges.parse(row);
  return { ...change, entries: change.entries ?? [] };
}
