/** Defines rules of the tidy tests, their findings, and how to try them. */
import type { Repository } from '../../../scripts/sources.ts';

/** A finding: the place, and the advice. */
export type Finding = { path: string; line: number; advice: string };
export type Rule = { name: string; find(repository: Repository): Finding[] };

/** A small repository with one thing wrong, or nothing, by which a rule is tried. */
export type Example = {
  rule: Rule;
  title: string;
  files: Readonly<Record<string, string>>;
  /** The advice; undefined if nothing is wrong. */
  advice?: RegExp;
};
