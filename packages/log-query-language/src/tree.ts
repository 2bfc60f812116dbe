/** A query as a tree, built from its text and from parameters. */
import type { Field, FileField, TextField } from './fields.ts';
import type { Level } from './levels.ts';
import type { AskedMember, MemberField } from './members.ts';

export type Comparison = '>' | '>=' | '<' | '<=';

/** Quoted texts and words are kept as written; searches fold their case. */
export type FieldValue =
  /** Letter case counts. */
  | { readonly kind: 'equals'; readonly text: string }
  /** The whole value, case ignored, with anything between one part and the next: `An*` is `['An', '']`. At least two. */
  | { readonly kind: 'parts'; readonly parts: readonly string[] }
  /** The path is in the metadata; any other field is not empty. */
  | { readonly kind: 'present' };

export type BodyValue =
  /** These parts occur in this order, case ignored. At least one, none of them empty. */
  | { readonly kind: 'holds'; readonly parts: readonly string[] }
  | { readonly kind: 'present' }
  | { readonly kind: 'empty' };

/** One term of a query. Of several values, one must match. */
type Term =
  | { readonly kind: 'everything' }
  /** Occurs, case ignored, in body, resource or a metadata value; or is the traceId or the parentId. Not empty. */
  | { readonly kind: 'text'; readonly text: string }
  /** These parts occur in this order, case ignored, in one of body, resource and metadata values. None of them empty. */
  | { readonly kind: 'textParts'; readonly parts: readonly string[] }
  /** In the order of `levels`, at least one. */
  | { readonly kind: 'level'; readonly levels: readonly Level[] }
  | { readonly kind: 'body'; readonly values: readonly BodyValue[] }
  | { readonly kind: 'field'; readonly field: TextField; readonly values: readonly FieldValue[] }
  /** Holds for texts that are numbers in JSON, compared as doubles. */
  | {
      readonly kind: 'compare';
      readonly field: Field;
      readonly operator: Comparison;
      readonly number: number;
    };

/** One term of a query for files. Only the fields differ from those of entries. */
export type FileTerm =
  | Extract<Term, { kind: 'everything' }>
  /** The same as for entries: searched in name, path and metadata values, or equal to the id or the key. */
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
  /** Occurs, case ignored, in body or a metadata value. Not empty. */
  { readonly kind: 'content'; readonly text: string } | ExactTerm;

/** Terms of other query languages. */
type ExactTerm =
  /** Occurs in the body; letter case counts. Not empty. */
  | { readonly kind: 'bodyExactly'; readonly text: string }
  /** An expression of RE2 occurs in the text of the field, which is '' where there is none. A dot is no line break. */
  | { readonly kind: 'matches'; readonly field: Field | MemberField; readonly expression: string }
  /** Values of a member of the body, with the same kinds as other fields. */
  | { readonly kind: 'field'; readonly field: MemberField; readonly values: readonly FieldValue[] }
  | {
      readonly kind: 'compare';
      readonly field: MemberField;
      readonly operator: Comparison;
      readonly number: number;
    }
  /** The body is a JSON object, and there is no doubt about these members of it. */
  | { readonly kind: 'plainMembers'; readonly members: readonly AskedMember[] }
  /** The body holds these texts in order, with something where there is null, and ends with the last. Each is taken where it comes first. */
  | { readonly kind: 'bodyPattern'; readonly pieces: readonly (string | null)[] };

/** No `and` is right inside of an `and`, no `or` in an `or`, no `not` in a `not`; and none of the first two holds less than two. */
type Tree<Leaf> =
  | Leaf
  | { readonly kind: 'and'; readonly trees: readonly Tree<Leaf>[] }
  | { readonly kind: 'or'; readonly trees: readonly Tree<Leaf>[] }
  | { readonly kind: 'not'; readonly tree: Tree<Leaf> };

/** A query for entries. */
export type Query = Tree<Term>;

/** A query for files. */
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

/** The condition that a store or a judge of single entries takes. Every `Query` is one. */
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

/** Returns the text in the spelling of a traceId; null if it cannot be one. */
export function findTraceId(text: string): string | null {
  return /^[0-9a-f]{32}$/i.test(text) ? text.toLowerCase() : null;
}

/** A text that is the same for questions that ask the same in the same words, and for no others. */
export function keyOfQuestion(question: unknown): string {
  return JSON.stringify(question, (_key, value) =>
    // JSON knows no infinite numbers, with which an entry's may be compared.
    typeof value === 'number' && !Number.isFinite(value) ? { number: String(value) } : value,
  );
}
