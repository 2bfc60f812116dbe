/** A rule under evaluation. */
import type { Rule, RuleMemory } from '../ports/records.ts';

/** A rule with its state, and when that was last saved; null: never. */
export type Watched = { rule: Rule; watch: RuleMemory; storedAt: number | null };
