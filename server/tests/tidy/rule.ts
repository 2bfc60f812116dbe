/** What a rule is, what it finds, and how it is tried. */
import type { Repository } from '../../../scripts/sources.ts';

/** What a rule found: where, and what to do about it. */
export type Finding = { path: string; line: number; advice: string };
export type Rule = { name: string; find(repository: Repository): Finding[] };

/** A small repository with one thing wrong, or nothing, by which a rule is tried. */
export type Example = {
  rule: Rule;
  title: string;
  files: Readonly<Record<string, string>>;
  /** What the advice says; undefined where nothing is wrong. */
  advice?: RegExp;
};
