/** Computes the state of a rule, and the order of rules in lists. */
import type { Rule } from '../../queries/rules.ts';

export type RuleState = 'firing' | 'troubled' | 'quiet' | 'off';

const order: readonly RuleState[] = ['firing', 'troubled', 'quiet', 'off'];

export function stateOf({ enabled, state, trouble }: Rule): RuleState {
  if (!enabled) return 'off';
  if (state === 'firing') return 'firing';
  return trouble === null ? 'quiet' : 'troubled';
}

/** Whether what fires is a pattern: its value is a number that says nothing. */
export function firesByPattern({ kind }: Pick<Rule, 'kind'>): boolean {
  return kind === 'new_pattern' || kind === 'issue';
}

/** Firing rules first, then by name. */
export function sortRules(rules: readonly Rule[]): readonly Rule[] {
  return rules.toSorted((one, other) => order.indexOf(stateOf(one)) - order.indexOf(stateOf(other)));
}

/** Since when a value of it has fired; null: nothing fires. */
export function firingSince({ firing }: Rule): string | null {
  return firing.reduce<string | null>(
    (first, { since }) => (first === null || Date.parse(since) < Date.parse(first) ? since : first),
    null,
  );
}
