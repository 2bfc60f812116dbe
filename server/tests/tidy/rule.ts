/** Defines the rules of the tidy tests, their findings and their examples. */
import type { Repository } from '../../../scripts/sources.ts';

export type Finding = { path: string; line: number; advice: string };
export type Rule = { name: string; find(repository: Repository): Finding[] };

/** A small repository with one fault or none, on which a rule is tested. */
export type Example = {
  rule: Rule;
  title: string;
  files: Readonly<Record<string, string>>;
  /** The expected advice; undefined if there is no fault. */
  advice?: RegExp;
};
