/** Names what fired: a value of the field that splits the rule or, for a pattern, what its newest entry says. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import type { Rule } from '../../queries/rules.ts';
import { firesByPattern } from './ruleState.ts';

type FiredTextProps = { project: string; rule: Rule; value: string; className?: string };

export function FiredText({ project, rule, value, className = '' }: FiredTextProps) {
  const { data } = useQuery({ ...sampleQuery(project, value), enabled: firesByPattern(rule) });
  // The digits of a pattern tell nobody anything.
  const text = firesByPattern(rule) ? (data ?? '') : value;
  return (
    <bdi className={className} title={text}>
      {text}
    </bdi>
  );
}

/** The first line of it. null: there is no entry left. */
function sampleQuery(project: string, pattern: string) {
  return queryOptions({
    queryKey: ['projects', project, 'pattern-sample', pattern],
    queryFn: async ({ signal }): Promise<string | null> => {
      const query = { dataset: '*', query: `pattern:${pattern}`, limit: 1 };
      const { data } = await api.queryProjectLogs({ params: { project }, query }, { signal });
      return data[0]?.body.split('\n')[0] ?? null;
    },
    staleTime: Number.POSITIVE_INFINITY, // all of them say about the same
    retry: false,
  });
}
