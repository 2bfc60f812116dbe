/** A project's alert rules, what is firing, and their history. */
import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useMutation,
  useQueryClient,
} from '@tanstack/react-query';
import type { Answer, Input } from '@tapedeck/client';
import { api } from '../api.ts';
import { refetchAfter } from './logs.ts';
import { useChange } from './useChange.ts';

export type Rule = Answer<'listRules'>['rules'][number];
export type NewRule = Input<'createRule'>['body'];
type RuleChanges = Input<'updateRule'>['body'];
export type RulePreview = Answer<'previewRule'>;
export type RuleEvent = Answer<'listRuleHistory'>['changes'][number];

/** A firing value of a rule; null for the rule as a whole. */
export type FiringRule = { rule: Rule } & Rule['firing'][number];

const refetchMs = 15_000; // while the page is visible
const pageEvents = 20;

const rulesKey = (project: string) => ['projects', project, 'rules'];

export function rulesQuery(project: string) {
  return queryOptions({
    queryKey: rulesKey(project),
    queryFn: async ({ signal }) => (await api.listRules({ params: { project } }, { signal })).rules,
    refetchInterval: refetchMs,
  });
}

/** Firing rules, newest first. Shares its request with the rules. */
export function firingRulesQuery(project: string) {
  return queryOptions({ ...rulesQuery(project), select: listFiring });
}

function listFiring(rules: readonly Rule[]): FiringRule[] {
  const firing = rules.flatMap(rule => rule.firing.map(each => ({ rule, ...each })));
  return firing.toSorted((one, other) => Date.parse(other.since) - Date.parse(one.since));
}

export function ruleQuery(project: string, rule: string) {
  return queryOptions({
    queryKey: [...rulesKey(project), rule],
    queryFn: async ({ signal }) => (await api.getRule({ params: { project, rule } }, { signal })).rule,
    refetchInterval: refetchMs,
  });
}

export function ruleHistoryQuery(project: string, rule: string) {
  return infiniteQueryOptions({
    queryKey: [...rulesKey(project), rule, 'history'],
    // The first page has no cursor, so its type would be undefined.
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) => {
      const query = { limit: pageEvents, before: pageParam };
      return api.listRuleHistory({ params: { project, rule }, query }, { signal });
    },
    getNextPageParam: page => page.nextBefore ?? undefined,
    refetchInterval: refetchMs,
  });
}

/** Counts how often the rule would have fired in the last seven days. Cancels outdated requests. */
export function previewQuery(project: string, asked: RuleChanges & Pick<Rule, 'kind'>) {
  return queryOptions({
    queryKey: [...rulesKey(project), 'preview', asked],
    queryFn: ({ signal }) => api.previewRule({ params: { project }, body: asked }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY, // a few seconds do not matter in a week
    gcTime: 60_000,
    refetchInterval: refetchAfter(),
  });
}

export function useRuleCreation(project: string) {
  return useChange(async (body: NewRule) => (await api.createRule({ params: { project }, body })).rule, {
    queryKey: rulesKey(project),
  });
}

export function useRuleChange(project: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async ({ id, changes }: { id: string; changes: RuleChanges }) =>
      (await api.updateRule({ params: { project, rule: id }, body: changes })).rule,
    onSuccess: rule => {
      queries.setQueryData(ruleQuery(project, rule.id).queryKey, rule);
      return queries.invalidateQueries({ queryKey: rulesKey(project) });
    },
  });
}

/** Records that the user works on one value of a rule, or (null) on all that are firing. */
export function useAcknowledgement(project: string, rule: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (value: string | null) =>
      (await api.acknowledgeAlert({ params: { project, rule }, body: { value } })).rule,
    onSuccess: changed => {
      queries.setQueryData(ruleQuery(project, rule).queryKey, changed);
      return queries.invalidateQueries({ queryKey: rulesKey(project) });
    },
  });
}

export function useRuleDeletion(project: string) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (rule: string) => api.deleteRule({ params: { project, rule } }),
    onSuccess: (_, rule) => {
      queries.removeQueries({ queryKey: [...rulesKey(project), rule] });
      return queries.invalidateQueries({ queryKey: rulesKey(project), exact: true });
    },
  });
}
