/** Shapes shared by several areas of the API. */
import Type, { type Static, type TSchema } from 'typebox';
import { limits, patterns, roles, tokenKinds } from './vocabulary.ts';

export const Id = Type.String({
  pattern: '^[0-9A-Za-z]{20}$',
  description: '20 characters from 0-9, A-Z and a-z.',
});
export const Instant = Type.String({
  description: 'Time in RFC 3339 format, UTC.',
  examples: ['2026-01-02T03:04:05.678Z'],
});
export const Slug = Type.String({
  pattern: patterns.slug,
  description: 'Lowercase letters, digits and hyphens, at most 32 characters. Used in URLs; never changes.',
});
export const Name = Type.String({
  minLength: 1,
  maxLength: limits.nameCharactersMax,
  pattern: patterns.name,
});
export const Email = Type.String({
  pattern: patterns.email,
  maxLength: limits.emailCharactersMax,
  description: 'Email address.',
});
export const Password = Type.String({
  minLength: limits.passwordCharactersMin,
  maxLength: limits.passwordCharactersMax,
  description: `${limits.passwordCharactersMin} to ${limits.passwordCharactersMax} characters.`,
});
export const RoleName = Type.Enum(roles);
export const TokenKindName = Type.Enum(tokenKinds);
export const Days = Type.Union(
  [Type.Integer({ minimum: 1, maximum: limits.retentionDaysMax }), Type.Null()],
  {
    description: 'Days to keep files or entries; null: forever.',
  },
);

/**
 * Names the words that a query text may be, for the API description. The domain reads the text, because it accepts some words in any letter case and
 * has error messages for others.
 */
export const describedWords = 'words';

export function nullable<T extends Type.TSchema>(schema: T) {
  return Type.Union([schema, Type.Null()]);
}

/** An object with any keys. `Type.Record` describes keys by a pattern whose dot does not match line ends, and answers would leave out such keys. */
export function recordOf<V extends TSchema>(value: V, options: { description?: string } = {}) {
  return Type.Unsafe<Record<string, Static<V>>>({ type: 'object', additionalProperties: value, ...options });
}

export const PageLimit = Type.Optional(
  Type.Integer({
    minimum: 1,
    default: limits.pageSizeDefault,
    description: `Page size, at most ${limits.pageSizeMax}; larger numbers mean ${limits.pageSizeMax}.`,
  }),
);

export const ProjectParams = Type.Object({ project: Slug });
export const PresignedLink = Type.Object({ presignedUrl: Type.String() });
