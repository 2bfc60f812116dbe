/** Describes a rule in a sentence, with queries and names highlighted. */
import { describeRule, type RuleQuestion } from './ruleSummary.ts';

export function RuleSummary({ rule }: { rule: RuleQuestion }) {
  return describeRule(rule).map(({ text, isCode }, index) =>
    isCode ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence have nothing but their places
      <code key={index} className="font-mono text-[0.9em] text-ink wrap-anywhere">
        {text}
      </code>
    ) : (
      text
    ),
  );
}
