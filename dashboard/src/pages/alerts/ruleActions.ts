/** One-click actions on a rule: mute, enable and disable. */

import { formatExact } from '../../format/times.ts';
import { type Rule, useRuleChange } from '../../queries/rules.ts';
import { showToast } from '../../ui/Toasts.tsx';

export type RuleActions = {
  mute: (rule: Rule, until: Date | null) => void;
  enable: (rule: Rule, enabled: boolean) => void;
  /** Why the last action failed. */
  error: Error | null;
};

export function useRuleActions(project: string): RuleActions {
  const { mutate, error } = useRuleChange(project);
  return {
    mute: ({ id }, until) => {
      const mutedUntil = until?.toISOString() ?? null;
      const words = mutedUntil === null ? 'No longer muted' : `Muted until ${formatExact(mutedUntil)}`;
      mutate({ id, changes: { mutedUntil } }, { onSuccess: () => showToast(words) });
    },
    enable: ({ id }, enabled) =>
      mutate(
        { id, changes: { enabled } },
        { onSuccess: () => showToast(enabled ? 'Turned on' : 'Turned off') },
      ),
    error,
  };
}
