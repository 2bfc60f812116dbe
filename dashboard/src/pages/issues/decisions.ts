/** Decides about issues: resolves, ignores or reopens them, with an undo button. */
import { countThings } from '../../format/numbers.ts';
import { type Decision, type Issue, useIssueDecision } from '../../queries/issues.ts';
import { showToast } from '../../ui/Toasts.tsx';
import { readShownState } from './shownIssues.ts';

/** Actions on an issue, by its state. */
export const decisions: Readonly<Record<Issue['state'], readonly (readonly [Decision, string])[]>> = {
  open: [
    ['resolved', 'Resolve'],
    ['ignored', 'Ignore'],
  ],
  returned: [
    ['resolved', 'Resolve'],
    ['ignored', 'Ignore'],
  ],
  resolved: [['open', 'Open again']],
  ignored: [['open', 'Open again']],
};

const decided: Readonly<Record<Decision, string>> = {
  resolved: 'resolved',
  ignored: 'ignored',
  open: 'opened again',
};

/** `decide` expects issues of the same state. */
export function useDecisions(project: string) {
  const decision = useIssueDecision(project);
  const decide = (issues: readonly Issue[], chosen: Decision) => {
    const [first] = issues;
    if (first === undefined) return;
    // Undo reopens a returned issue, because a decision cannot mark it returned.
    const former = readShownState(first);
    const undo = () =>
      decision.mutate(
        { issues, state: former },
        { onError: ({ message }) => showToast(`Couldn’t undo: ${message}`) },
      );
    const onSuccess = () => showToast(describeDecision(chosen, issues.length), { words: 'Undo', go: undo });
    decision.mutate({ issues, state: chosen }, { onSuccess });
  };
  const pending = decision.isPending ? decision.variables.issues.map(({ pattern }) => pattern) : [];
  return { decide, pending, error: decision.error };
}

function describeDecision(state: Decision, count: number): string {
  return count === 1 ? `Issue ${decided[state]}` : `${countThings(count, 'issue')} ${decided[state]}`;
}
