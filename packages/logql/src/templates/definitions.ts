/** Named templates within a template: `define`, `block` and `template`. */
import { unquote } from '../language/quotes.ts';
import { TemplateMistake } from './lexer.ts';
import type { Node } from './tree.ts';

/** A part of a template and its position. */
export type Source = { text: string; start: number };

type Named = {
  name: string;
  /** The position of the name. */
  start: number;
  /** What follows the name. */
  rest: Source;
};

/** Reads the name behind the word of an action. */
export function readName({ text, start }: Source, clause: string): Named {
  const [whole = '', quoted = ''] = /^\s*("(?:[^"\\]|\\.)*"|`[^`]*`)/.exec(text) ?? [];
  const name = quoted === '' ? null : unquote(quoted);
  if (name === null) {
    const found = /\S+/.exec(text)?.[0] ?? '}}';
    throw new TemplateMistake(`unexpected ${JSON.stringify(found)} in ${clause}`);
  }
  const end = start + whole.length;
  return { name, start: end - quoted.length, rest: { text: text.slice(whole.length), start: end } };
}

export class Definitions {
  readonly #nodes = new Map<string, readonly Node[]>();

  get byName(): ReadonlyMap<string, readonly Node[]> {
    return this.#nodes;
  }

  /** As in Go, a blank definition gives way to another. */
  add(name: string, nodes: readonly Node[]): void {
    const known = this.#nodes.get(name);
    if (known !== undefined && !isBlank(known)) {
      if (isBlank(nodes)) return;
      throw new TemplateMistake(`template: multiple definition of template ${JSON.stringify(name)}`);
    }
    this.#nodes.set(name, nodes);
  }
}

function isBlank(nodes: readonly Node[]): boolean {
  return nodes.every(node => node.kind === 'text' && node.text.trim() === '');
}
