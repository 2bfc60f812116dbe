/** How a rule is at present, and in which order rules are listed. */
import type { Rule } from '../../queries/rules.ts';

export type RuleMood = 'firing' | 'troubled' | 'quiet' | 'off';

const order: readonly RuleMood[] = ['firing', 'troubled', 'quiet', 'off'];

export function moodOf({ enabled, state, trouble }: Rule): RuleMood {
  if (!enabled) return 'off';
  if (state === 'firing') return 'firing';
  return trouble === null ? 'quiet' : 'troubled';
}

/** What fires first, the others by name. */
export function sortRules(rules: readonly Rule[]): readonly Rule[] {
  return rules.toSorted((one, other) => order.indexOf(moodOf(one)) - order.indexOf(moodOf(other)));
}

/** Since when a value of it has fired; null: nothing fires. */
export function firingSince({ firing }: Rule): string | null {
  return firing.reduce<string | null>(
    (first, { since }) => (first === null || Date.parse(since) < Date.parse(first) ? since : first),
    null,
  );
}
