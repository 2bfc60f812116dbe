/**
 * Finds texts that every match of an expression contains, so that indexes can lead to them. It leaves out uncertain ones. Without any
 * text, the engine evaluates the expression on all entries.
 */

import type { Condition } from '@tapedeck/log-query-language';

const quantifiers = /[*+?{]/;
const plainEscape = /[^\p{L}\p{N}]/u;

export function findLiterals(expression: string): readonly string[] {
  const reader = new LiteralReader(expression);
  return reader.read();
}

type Expression = Extract<Condition, { kind: 'matches' }>;

/** Splits an expression of alternatives, such as `a|b`; null if it is not one, or not for certain. */
export function listAlternatives(condition: Condition): Expression[] | null {
  if (condition.kind !== 'matches' || condition.field.kind !== 'body') return null;
  const alternatives = splitAlternatives(condition.expression);
  if (alternatives === null || alternatives.includes('')) return null;
  return alternatives.map(expression => ({ ...condition, expression }));
}

const flags = /\(\?[a-zA-Z-]*\)|\\[QE]/; // these also affect the next alternatives

function splitAlternatives(expression: string): string[] | null {
  if (!expression.includes('|') || flags.test(expression)) return null;
  const alternatives: string[] = [];
  let [start, depth, isInClass] = [0, 0, false];
  for (let at = 0; at < expression.length; at++) {
    const sign = expression[at];
    if (sign === '\\') at++;
    else if (isInClass) isInClass = sign !== ']';
    else if (sign === '[') {
      if (/^\[\^?\]/.test(expression.slice(at, at + 3))) return null; // a bracket that does not end the class
      isInClass = true;
    } else if (sign === '(') depth++;
    else if (sign === ')') depth--;
    else if (sign === '|' && depth === 0) {
      alternatives.push(expression.slice(start, at));
      start = at + 1;
    }
  }
  return alternatives.length === 0 || isInClass ? null : [...alternatives, expression.slice(start)];
}

class LiteralReader {
  readonly #characters: readonly string[];
  readonly #runs: string[] = [];
  #run: string[] = [];
  #at = 0;

  constructor(expression: string) {
    this.#characters = [...expression];
  }

  read(): string[] {
    while (this.#at < this.#characters.length) {
      const character = this.#characters[this.#at++] ?? '';
      if (character === '|') return []; // alternatives: none is certain
      if (character === '\\') this.#readEscape();
      else if (character === '[') this.#skipClass();
      else if (character === '(') this.#skipGroup();
      else if (/[.^$)]/.test(character)) this.#endRun();
      else if (quantifiers.test(character)) this.#readQuantifier(character);
      else this.#run.push(character);
      if (this.#isLost) return [];
    }
    this.#endRun();
    return this.#runs.filter(run => run !== '');
  }

  #isLost = false;

  #endRun(): void {
    this.#runs.push(this.#run.join(''));
    this.#run = [];
  }

  #readEscape(): void {
    const character = this.#characters[this.#at++] ?? '';
    if (plainEscape.test(character)) this.#run.push(character);
    else if (/[QE]/.test(character)) this.#isLost = true;
    else {
      this.#endRun();
      // Escapes such as \x{41} and \pL are longer than one letter.
      if (/[xpP0-7]/.test(character)) this.#isLost = true;
    }
  }

  #skipClass(): void {
    this.#endRun();
    if (this.#characters[this.#at] === '^') this.#at++;
    if (this.#characters[this.#at] === ']') this.#at++;
    while (this.#at < this.#characters.length && this.#characters[this.#at] !== ']') {
      if (this.#characters[this.#at] === '[') {
        this.#isLost = true; // a class within the class
        return;
      }
      this.#at += this.#characters[this.#at] === '\\' ? 2 : 1;
    }
    this.#at++;
  }

  #skipGroup(): void {
    this.#endRun();
    let depth = 1;
    while (depth > 0 && this.#at < this.#characters.length && !this.#isLost) {
      const character = this.#characters[this.#at++] ?? '';
      if (character === '\\') {
        if (/[QE]/.test(this.#characters[this.#at] ?? '')) this.#isLost = true;
        this.#at++;
      } else if (character === '[') this.#skipClass();
      else if (character === '(') depth++;
      else if (character === ')') depth--;
    }
  }

  /** The character before it is optional, unless the quantifier is a plus. */
  #readQuantifier(character: string): void {
    if (character !== '+') this.#run.pop();
    this.#endRun();
    if (character !== '{') return;
    while (this.#at < this.#characters.length && this.#characters[this.#at] !== '}') this.#at++;
    this.#at++;
  }
}
