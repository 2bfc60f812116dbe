/** The language as people are told of it: what they may write, and what it finds. */

/** Each is a question as it is written, and what it finds. */
export const languageExamples: readonly (readonly [text: string, finds: string])[] = [
  [
    'connection lost',
    'both words, in the message, the resource or a metadata value; part of a word counts, letter case does not',
  ],
  ['"connection lost"', 'this phrase'],
  ['conn*lost', '`lost` somewhere behind `conn`, in the same text'],
  ['connection -oxmysql', 'the first without the second; `NOT oxmysql` is the same'],
  [
    '(lost OR refused) shop',
    '`shop`, and one of the others; operators are words in capitals, and `AND` may be left out',
  ],
  [
    'level:error',
    'entries of this level; `level:err` and `level:FATAL` are understood, `level=error` is the same',
  ],
  ['level:(warn,error)', 'one of several values'],
  ['player.id:43', 'metadata whose value at this path is just this; letter case counts'],
  ['url:http://x/?a=b', 'the first sign ends the name, and the rest of the word is the value'],
  ['player.name:"Ben B"', 'a value with blanks, in quotes'],
  ['player.name:An*', 'values that begin so, letter case ignored'],
  [
    'player.id:* -player.name:*',
    'entries that have the one path and lack the other; `player.id:""` has it, and it is empty',
  ],
  ['ms:>100 ms:<=1e3', 'values that are such numbers'],
  [
    'body:lost resource:shop dataset:game',
    'the fields of every entry: `level`, `resource`, `body`, `traceId`, `parentId`, `dataset`, `pattern`',
  ],
  ['metadata.level:9', 'a metadata path that has the name of one of these'],
  [
    '"level:error"',
    'the text itself: in quotes nothing is an operator, a field or a star; `\\"` and `\\\\` stand for a quote and a backslash',
  ],
  ['0199c0ffee0a7000800000000000000a', 'the entry with this traceId, and those below it'],
];

/** Markdown. */
export const languageDescription = [
  'What the parameter `query` takes, on every route that has it. Terms side by side must all hold:',
  '',
  ...languageExamples.map(([text, finds]) => `- \`${text}\` finds ${finds}.`),
  '',
  'A text with a blank, `:`, `=`, `<`, `>`, `(` or `)` goes in quotes, and so does a value with a blank or bracket, with a comma in a list, or that begins with a sign. No blank stands before or behind `:` and the signs of comparisons. At most 2 KiB, ' +
    '64 terms (a list is one) and 16 levels of brackets. What does not parse is answered 400 `query_invalid`: `error` says what to write, ' +
    'and `position` where, in UTF-16 units from zero.',
].join('\n');
