/** The variables and the dot of a part of a template. */
import { TemplateFailure, type Value } from './values.ts';

export type Scope = { dot: Value; variables: Map<string, Value>; outer: Scope | null };

export function enter(outer: Scope): Scope {
  return { dot: outer.dot, variables: new Map(), outer };
}

/** Finds the scope of a variable. */
export function findScope(scope: Scope, name: string): Scope {
  for (let place: Scope | null = scope; place !== null; place = place.outer)
    if (place.variables.has(name)) return place;
  throw new TemplateFailure(`undefined variable: ${name}`);
}

/** Thrown by `break` and `continue`. */
export class LoopEnd extends Error {
  readonly word: 'break' | 'continue';

  constructor(word: 'break' | 'continue') {
    super(word);
    this.word = word;
  }
}
