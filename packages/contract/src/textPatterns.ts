/** Regular expressions for texts with a fixed form, and the sentences for texts that do not match. */

/** Excludes characters that would end a header or a list, and invisible ones. */
const addressPart = '[^\\s@<>,;\\u0000-\\u001f\\u007f-\\u009f\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069]+';
/** Excludes control characters and line ends. */
const lineCharacter = '[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]';

export const patterns = {
  /** A part of a URL or host name. */
  slug: '^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$',
  email: `^${addressPart}@${addressPart}$`,
  dataset: '^[A-Za-z0-9_.-]{1,64}$', // CONTRACT.md, 4.1
  datasets: '^(?:\\*|[A-Za-z0-9_.-]{1,64})$', // or all of them
  logPattern: '^[0-9a-f]{16}$', // CONTRACT.md, 9.3
  subjectKind: '^[A-Za-z][A-Za-z0-9_-]{0,31}$',
  /** A host name with an optional port. */
  domain:
    '^(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)*[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?(?::\\d{1,5})?$',
  /** One line, possibly empty. */
  line: `^${lineCharacter}*$`,
  /** One line with a visible character. */
  name: `^(?=\\s*\\S)${lineCharacter}*$`,
  /** Any lines with a visible character. */
  seen: '\\S',
} as const;

export const patternSentences: Readonly<Record<string, string>> = {
  [patterns.slug]: 'must be 1 to 32 lower-case letters, digits and hyphens, with no hyphen at either end',
  [patterns.email]: 'must be an email address, as in name@example.org',
  [patterns.dataset]: 'must be 1 to 64 letters, digits, _, . or -',
  [patterns.datasets]: 'must be 1 to 64 letters, digits, _, . or -, or * for all',
  [patterns.domain]: 'must be a host name, as in media.example.org',
  [patterns.subjectKind]: 'must be 1 to 32 letters, digits, - and _, and begin with a letter',
  [patterns.logPattern]: 'must be 16 hexadecimal digits',
  [patterns.line]: 'must be one line without control characters',
  [patterns.seen]: 'must not be blank',
  [patterns.name]: 'must be one line without control characters, and not blank',
};
