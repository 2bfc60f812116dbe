/** Named templates within a template: `define`, `block` and `template`. */
import { unquote } from '../language/quotes.ts';
import { TemplateMistake, wordsMax } from './lexer.ts';
import type { Node } from './tree.ts';
import { cutWords, type Source, unexpected } from './words.ts';

type Named = {
  name: string;
  /** The position of the name. */
  start: number;
  /** What follows the name. */
  rest: Source;
};

/** Reads the name behind the word of an action. */
export function readName(source: Source, clause: string): Named {
  const { texts, starts, mistake } = cutWords(source, wordsMax);
  const place = texts[0] === ' ' ? 1 : 0;
  const quoted = texts[place];
  if (quoted === undefined) throw mistake === null ? unexpected('}}', clause) : new TemplateMistake(mistake);
  const name = /^["`]/.test(quoted) ? unquote(quoted) : null;
  if (name === null) throw unexpected(quoted, clause);
  const at = starts[place] ?? 0;
  const behind = at + quoted.length;
  const rest = { ...source, text: source.text.slice(behind), start: source.start + behind };
  return { name, start: source.start + at, rest };
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
