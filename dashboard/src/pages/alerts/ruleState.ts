/** Computes a rule's state, and the order of rules in lists. */
import type { Rule } from '../../queries/rules.ts';

export type RuleState = 'firing' | 'troubled' | 'quiet' | 'off';

const order: readonly RuleState[] = ['firing', 'troubled', 'quiet', 'off'];

export function stateOf({ enabled, state, trouble }: Rule): RuleState {
  if (!enabled) return 'off';
  if (state === 'firing') return 'firing';
  return trouble === null ? 'quiet' : 'troubled';
}

/** True if the rule fires by pattern. Its value is then a meaningless number. */
export function firesByPattern({ kind }: Pick<Rule, 'kind'>): boolean {
  return kind === 'new_pattern' || kind === 'issue';
}

/** Sorts by state, firing first; keeps the order within a state. */
export function sortRules(rules: readonly Rule[]): readonly Rule[] {
  return rules.toSorted((one, other) => order.indexOf(stateOf(one)) - order.indexOf(stateOf(other)));
}

/** Returns since when any of its values has fired; null if none. */
export function firingSince({ firing }: Rule): string | null {
  return firing.reduce<string | null>(
    (first, { since }) => (first === null || Date.parse(since) < Date.parse(first) ? since : first),
    null,
  );
}
