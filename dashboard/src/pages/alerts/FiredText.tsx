/** Names what fired: a value of the group-by field or, for a pattern, its newest entry. */
import { queryOptions, useQuery } from '@tanstack/react-query';
import { api } from '../../api.ts';
import type { Rule } from '../../queries/rules.ts';
import { firesByPattern } from './ruleState.ts';

type FiredTextProps = { project: string; rule: Rule; value: string; className?: string };

export function FiredText({ project, rule, value, className = '' }: FiredTextProps) {
  const { data } = useQuery({ ...sampleQuery(project, value), enabled: firesByPattern(rule) });
  // A pattern's number means nothing to users.
  const text = firesByPattern(rule) ? (data ?? '') : value;
  return (
    <bdi className={className} title={text}>
      {text}
    </bdi>
  );
}

/** Fetches the first line of the newest entry; null if no entry is left. */
function sampleQuery(project: string, pattern: string) {
  return queryOptions({
    queryKey: ['projects', project, 'pattern-sample', pattern],
    queryFn: async ({ signal }): Promise<string | null> => {
      const query = { dataset: '*', query: `pattern:${pattern}`, limit: 1 };
      const { data } = await api.queryProjectLogs({ params: { project }, query }, { signal });
      return data[0]?.body.split('\n')[0] ?? null;
    },
    staleTime: Number.POSITIVE_INFINITY, // all entries of a pattern read alike
    retry: false,
  });
}
