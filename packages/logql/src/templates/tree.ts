/** The tree of a template. */
import type { Value } from './values.ts';

/** A position in the template, counted like Go, and its text. Both appear in errors. */
export type Mark = { place(): string; text: string };

export type Term = { readonly mark: Mark } & (
  | { kind: 'constant'; value: Value }
  | { kind: 'dot' }
  | { kind: 'field'; path: readonly string[] }
  | { kind: 'variable'; name: string; path: readonly string[] }
  | { kind: 'function'; name: string }
  /** A pipeline in brackets, followed by a path into its result. */
  | { kind: 'pipeline'; pipeline: Pipe; path: readonly string[] }
);

/** The first term is either a function or the only term. */
export type Command = { terms: readonly Term[]; mark: Mark };

export type Pipe = {
  /** Variables of `range`, up to two. */
  variables: readonly string[];
  isDeclared: boolean;
  commands: readonly Command[];
};

export type Node =
  | { kind: 'text'; text: string }
  | { kind: 'action'; pipe: Pipe }
  | { kind: 'if' | 'with' | 'range'; pipe: Pipe; body: readonly Node[]; otherwise: readonly Node[] }
  /** Runs a defined template. `pipe` is its dot; null: nothing. */
  | { kind: 'template'; name: string; pipe: Pipe | null; mark: Mark }
  | { kind: 'break' | 'continue' };
