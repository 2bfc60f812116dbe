/** Recognises templates that only write texts and labels, so that a log store can compose what they write. */
import type { Node } from './tree.ts';

/** A text, or the value of a label; '' if it is missing. */
export type TemplatePiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'label'; readonly name: string };

/** Returns null if the template does anything else. */
export function listPieces(nodes: readonly Node[]): readonly TemplatePiece[] | null {
  const pieces = nodes.map(readPiece);
  const known = pieces.filter(piece => piece !== null);
  return known.length === pieces.length ? known : null;
}

function readPiece(node: Node): TemplatePiece | null {
  if (node.kind === 'text') return { kind: 'text', text: node.text };
  if (node.kind !== 'action' || node.pipe.variables.length > 0) return null;
  const terms = node.pipe.commands.flatMap(command => command.terms);
  const [term] = terms;
  if (term === undefined || terms.length > 1) return null;
  if (term.kind === 'constant')
    return typeof term.value === 'string' ? { kind: 'text', text: term.value } : null;
  const name = term.kind === 'field' && term.path.length === 1 ? term.path[0] : undefined;
  return name === undefined ? null : { kind: 'label', name };
}
