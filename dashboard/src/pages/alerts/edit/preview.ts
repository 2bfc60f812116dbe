/** Shows what a rule would have done last week. Queries once the user stops typing. */
import { useQuery } from '@tanstack/react-query';
import { limits } from '@tapedeck/client';
import { listSpans } from '@tapedeck/log-query-language';
import { useMemo } from 'react';
import { previewQuery } from '../../../queries/rules.ts';
import { useDebouncedValue } from '../../../ui/hooks/useDebouncedValue.ts';
import type { RuleQuestion } from '../ruleSummary.ts';
import { type RuleDraft, readQuestion } from './draft.ts';

export type RulePreviewState = ReturnType<typeof useRulePreview>;

export function useRulePreview(project: string, draft: RuleDraft) {
  const question = useMemo(() => readQuestion(draft), [draft]);
  const asked = useDebouncedValue(question);
  const isAsked = isAskable(asked);
  const { data, error, isPending, isPlaceholderData } = useQuery({
    ...previewQuery(project, asked),
    enabled: isAsked,
  });
  const isBehind = JSON.stringify(question) !== JSON.stringify(asked);
  // The preview still answers an earlier draft.
  return { preview: data, error, isAsked, isStale: isBehind || isPending || isPlaceholderData };
}

/** Skips drafts that the service would reject. */
function isAskable({ kind, query, condition, windowSeconds }: RuleQuestion): boolean {
  const { value = 0, factor = 1 } = condition;
  const isCounted = (kind === 'count' || kind === 'change') && Number.isInteger(value) && value >= 1;
  const isOfEntries = isCounted || kind === 'new_pattern' || kind === 'issue';
  const isOfTime = Number.isInteger(windowSeconds) && windowSeconds >= limits.ruleWindowSecondsMin;
  const isShort = windowSeconds <= limits.ruleWindowSecondsMax;
  return isOfEntries && factor > 0 && isOfTime && isShort && listSpans(query).mistake === null;
}
