/** The tree of a query, built from its text and from parameters. */
import type { ComposedField, ParsedField } from './composedTexts.ts';
import type { Field, FileField, TextField } from './fields.ts';
import type { Level } from './levels.ts';
import type { AskedMember } from './members.ts';

export type Comparison = '>' | '>=' | '<' | '<=';

/** Quoted texts and words keep their spelling; searches fold their case. */
export type FieldValue =
  /** Letter case counts. */
  | { readonly kind: 'equals'; readonly text: string }
  /** Matches the whole value, ignoring case, with anything between the parts: `An*` is `['An', '']`. At least two parts. */
  | { readonly kind: 'parts'; readonly parts: readonly string[] }
  /** Matches if the path is in the metadata, or any other field is not empty. */
  | { readonly kind: 'present' };

export type BodyValue =
  /** The parts occur in this order, ignoring case. At least one; none is empty. */
  | { readonly kind: 'holds'; readonly parts: readonly string[] }
  | { readonly kind: 'present' }
  | { readonly kind: 'empty' };

/** One term of a query. If it has several values, one must match. */
type Term =
  | { readonly kind: 'everything' }
  /** The text occurs in body, resource or a metadata value, ignoring case, or equals the traceId or parentId. Not empty. */
  | { readonly kind: 'text'; readonly text: string }
  /** The parts occur in this order in body, resource or one metadata value, ignoring case. None is empty. */
  | { readonly kind: 'textParts'; readonly parts: readonly string[] }
  /** In the order of `levels`, at least one. */
  | { readonly kind: 'level'; readonly levels: readonly Level[] }
  | { readonly kind: 'body'; readonly values: readonly BodyValue[] }
  | { readonly kind: 'field'; readonly field: TextField; readonly values: readonly FieldValue[] }
  /** Compares texts that are JSON numbers, as doubles. Other texts do not match. */
  | {
      readonly kind: 'compare';
      readonly field: Field;
      readonly operator: Comparison;
      readonly number: number;
    };

/** One term of a query for files. Only the fields differ from terms for entries. */
export type FileTerm =
  | Extract<Term, { kind: 'everything' }>
  /** The text occurs in name, path or a metadata value, or equals the id or the key. */
  | Extract<Term, { kind: 'text' | 'textParts' }>
  | { readonly kind: 'field'; readonly field: FileField; readonly values: readonly FieldValue[] }
  | {
      readonly kind: 'compare';
      readonly field: FileField;
      readonly operator: Comparison;
      readonly number: number;
    };

/** Terms that only parameters can express. */
type ParameterTerm =
  /** The text occurs in body or a metadata value, ignoring case. Not empty. */
  { readonly kind: 'content'; readonly text: string } | ExactTerm;

/** Terms of other query languages. */
type ExactTerm =
  /** The text occurs in the body; letter case counts. Not empty. */
  | { readonly kind: 'bodyExactly'; readonly text: string }
  /** An RE2 expression matches somewhere in the text of the field; a missing field is ''. A dot does not match a line break. */
  | { readonly kind: 'matches'; readonly field: Field | ParsedField; readonly expression: string }
  /** The text occurs in the composed text; letter case counts. Not empty. */
  | { readonly kind: 'contains'; readonly field: ComposedField; readonly text: string }
  /** Matches a value in the body, or a composed text, like other fields. */
  | { readonly kind: 'field'; readonly field: ParsedField; readonly values: readonly FieldValue[] }
  | {
      readonly kind: 'compare';
      readonly field: ParsedField;
      readonly operator: Comparison;
      readonly number: number;
    }
  /** The body is a JSON object, and these members of it are not in doubt. */
  | { readonly kind: 'plainMembers'; readonly members: readonly AskedMember[] }
  /** The body's pairs with these keys, if it has any, are not in doubt. */
  | { readonly kind: 'plainPairs'; readonly keys: readonly string[] }
  /** The body holds the texts in order and ends with the last. null stands for any non-empty text. Each text matches where it occurs first. */
  | { readonly kind: 'bodyPattern'; readonly pieces: readonly (string | null)[] };

/** A node never directly contains its own kind (`and` in `and`, …). An `and` or `or` holds at least two trees. */
type Tree<Leaf> =
  | Leaf
  | { readonly kind: 'and'; readonly trees: readonly Tree<Leaf>[] }
  | { readonly kind: 'or'; readonly trees: readonly Tree<Leaf>[] }
  | { readonly kind: 'not'; readonly tree: Tree<Leaf> };

/** A query for entries. */
export type Query = Tree<Term>;

export type FileQuery = Tree<FileTerm>;

/** A query for either. */
export type AnyQuery = Tree<AnyTerm>;

export type AnyTerm =
  | Exclude<Term, { kind: 'field' | 'compare' }>
  | {
      readonly kind: 'field';
      readonly field: TextField | FileField;
      readonly values: readonly FieldValue[];
    }
  | {
      readonly kind: 'compare';
      readonly field: Field | FileField;
      readonly operator: Comparison;
      readonly number: number;
    };

/** The condition that stores and evaluators of single entries accept. Every `Query` is one. */
export type Condition = Tree<Term | ParameterTerm>;

type AnyTree = Tree<AnyTerm | ParameterTerm>;

export const everything = { kind: 'everything' } as const satisfies Query;
export const nothing = { kind: 'not', tree: everything } as const satisfies Query;

export function allOf(trees: readonly Query[]): Query;
export function allOf(trees: readonly FileQuery[]): FileQuery;
export function allOf(trees: readonly Condition[]): Condition;
export function allOf(trees: readonly AnyQuery[]): AnyQuery;
export function allOf(trees: readonly AnyTree[]): AnyTree {
  return combine('and', trees) ?? everything;
}

export function anyOf(trees: readonly Query[]): Query;
export function anyOf(trees: readonly FileQuery[]): FileQuery;
export function anyOf(trees: readonly Condition[]): Condition;
export function anyOf(trees: readonly AnyQuery[]): AnyQuery;
export function anyOf(trees: readonly AnyTree[]): AnyTree {
  return combine('or', trees) ?? nothing;
}

export function negate(tree: Query): Query;
export function negate(tree: FileQuery): FileQuery;
export function negate(tree: Condition): Condition;
export function negate(tree: AnyQuery): AnyQuery;
export function negate(tree: AnyTree): AnyTree {
  return tree.kind === 'not' ? tree.tree : { kind: 'not', tree };
}

function combine(kind: 'and' | 'or', trees: readonly AnyTree[]): AnyTree | undefined {
  const flat = trees.flatMap(tree => (tree.kind === kind ? tree.trees : [tree]));
  return flat.length > 1 ? { kind, trees: flat } : flat[0];
}

/** Returns the text spelled as a traceId; null if it cannot be one. */
export function findTraceId(text: string): string | null {
  return /^[0-9a-f]{32}$/i.test(text) ? text.toLowerCase() : null;
}

const gap = '<*>'; // a template's placeholder for any text

/** Whether a value of the field `pattern` is a template. Other values name a pattern by its digits, or match nothing. */
export function isTemplate(value: FieldValue): value is Extract<FieldValue, { kind: 'equals' }> {
  return value.kind === 'equals' && value.text.includes(gap);
}

/** Whether a term compares patterns with a template. */
export function hasTemplate(condition: Condition): boolean {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return condition.trees.some(hasTemplate);
    case 'not':
      return hasTemplate(condition.tree);
    case 'field':
      return condition.field.kind === 'pattern' && condition.values.some(isTemplate);
    default:
      return false;
  }
}

/** Returns a key that only equal questions share. */
export function keyOfQuestion(question: unknown): string {
  return JSON.stringify(question, (_key, value) =>
    // JSON cannot express infinite numbers, but a condition may compare with them.
    typeof value === 'number' && !Number.isFinite(value) ? { number: String(value) } : value,
  );
}
