/** Describes the language by examples. The API description and docs/logs.md derive from them. */

/** Each row is a query and the entries that it finds. */
export const languageExamples: readonly (readonly [text: string, finds: string])[] = [
  [
    'connection lost',
    'both words, in the message, the resource or a metadata value; parts of words match, and case does not matter',
  ],
  ['"connection lost"', 'this phrase'],
  ['conn*lost', '`conn` followed by `lost`, somewhere in the same text'],
  ['connection -oxmysql', 'the first word without the second; `NOT oxmysql` means the same'],
  [
    '(lost OR refused) shop',
    '`shop` with one of the other two; operators are in capitals, and `AND` is optional',
  ],
  ['level:error', 'entries of this level; `level:err`, `level:FATAL` and `level=error` mean the same'],
  ['level:(warn,error)', 'any of several values'],
  ['player.id:43', 'metadata with exactly this value at this path; case matters'],
  ['url:http://x/?a=b', 'the value `http://x/?a=b`: the first `:` or `=` ends the name'],
  ['player.name:"Ben B"', 'a value with a space, in quotes'],
  ['player.name:An*', 'values that start with `An`, in upper or lower case'],
  [
    'player.id:* -player.name:*',
    'entries that have the first path and lack the second; `player.id:""` finds an empty value',
  ],
  ['ms:>100 ms:<=1e3', 'numbers in this range'],
  [
    'body:lost resource:shop dataset:game',
    'fields of every entry: `level`, `resource`, `body`, `traceId`, `parentId`, `dataset`, `pattern`',
  ],
  ['metadata.level:9', 'a metadata path that has the name of such a field'],
  [
    '"level:error"',
    'the text itself; quotes switch off operators, fields and stars, and `\\"` and `\\\\` stand for a quote and a backslash',
  ],
  ['0199c0ffee0a7000800000000000000a', 'the entry with this traceId, and its children'],
];

/** The description as Markdown. */
export const languageDescription = [
  'The language of the parameter `query`, on every route that has it. Terms side by side must all match:',
  '',
  ...languageExamples.map(([text, finds]) => `- \`${text}\` finds ${finds}.`),
  '',
  'Put a text into quotes if it holds a space, `:`, `=`, `<`, `>`, `(` or `)`. A value needs quotes if it holds a space or bracket, starts ' +
    'with one of these signs, or holds a comma within a list. Write no space around `:` and comparison signs. A query has at most 2 KiB, ' +
    '64 terms (a list is one) and 16 levels of brackets. An invalid query gets 400 `query_invalid`: `error` says what to write, and ' +
    '`position` says where, in UTF-16 units from zero.',
].join('\n');
