/** The rules of a project: what is watched for, what fires, and how it was before. */
import { queryOptions } from '@tanstack/react-query';
import type { Answer } from '@tapedeck/client';
import { api } from '../api.ts';

type Rule = Answer<'listRules'>['rules'][number];

/** A value of a rule that fires at present; null: the rule as a whole. */
export type FiringRule = { rule: Rule; value: string | null; since: string; count: number };

const lookAgainMs = 15_000; // while the page is looked at

const rulesKey = (project: string) => ['projects', project, 'rules'];

export function rulesQuery(project: string) {
  return queryOptions({
    queryKey: rulesKey(project),
    queryFn: async ({ signal }) => (await api.listRules({ params: { project } }, { signal })).rules,
    refetchInterval: lookAgainMs,
  });
}

/** What fires at present, the newest first. Asked together with the rules. */
export function firingRulesQuery(project: string) {
  return queryOptions({ ...rulesQuery(project), select: listFiring });
}

function listFiring(rules: readonly Rule[]): FiringRule[] {
  const firing = rules.flatMap(rule => rule.firing.map(each => ({ rule, ...each })));
  return firing.toSorted((one, other) => Date.parse(other.since) - Date.parse(one.since));
}
