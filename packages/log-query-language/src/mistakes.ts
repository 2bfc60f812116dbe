/** What is wrong with a text, where, and what to write instead. */
import { Failure } from '@tapedeck/values/failure';

/** Places count UTF-16 units from zero. */
export type Mistake = {
  sentence: string;
  position: number;
  /** Behind the last character that is wrong; the position itself where something is missing. */
  end: number;
};

/** What `QueryMistake`s say. */
export const queryCodes = ['query_invalid'] as const;

export class QueryMistake extends Failure<(typeof queryCodes)[number]> {
  /** UTF-16 units from zero. */
  override readonly position: number;
  readonly end: number;

  constructor({ sentence, position, end }: Mistake) {
    super('query_invalid', sentence, { field: 'query', position });
    this.position = position;
    this.end = end;
  }
}

export const sentences = {
  quoteOpen: 'Close this quote with another "; inside of quotes write \\" for a quote.',
  bracketOpen: 'Close this bracket with ).',
  bracketExtra: 'Leave this ) out, or open a bracket before it; to find the sign itself, put it in quotes.',
  bracketEmpty: 'Write a term between these brackets.',
  bracketInList: 'Write plain values between the brackets of a list, without brackets of their own.',
  listEmpty: 'Write at least one value between these brackets, such as level:(warn,error).',
  listSeparator: 'Put a comma or OR between the values of a list, and quotes around a value with blanks.',
  listValue: 'Write a value on each side of this comma or OR.',
  twoNegations: 'Write one negation: -a, or NOT a.',
  operand: (operator: string) =>
    operator === '-' || operator === 'NOT'
      ? `Write a term behind ${operator}; to find the word itself, put it in quotes: "${operator}".`
      : `Write a term on each side of ${operator}; to find the word itself, put it in quotes: "${operator}".`,
  valueMissing: (start: string) =>
    `Write a value right behind ${start}, without a blank; "" is the empty one.`,
  numberMissing: (start: string) => `Write a number right behind ${start}, without a blank.`,
  numberUnreadable: (start: string) =>
    `Write a number behind ${start} as JSON does, such as 100, -0.5 or 1e3.`,
  signFirst: (sign: string) =>
    `Write a field right before ${sign}, without a blank; to find the sign itself, put the text in quotes.`,
  valueSignFirst: 'Put quotes around a value that begins with :, =, < or >.',
  notEqual: (name: string) => `Write -${name}=… for "not equal"; != is not known.`,
  starInName: 'Write the name of a field without *; one that really holds a star goes in quotes.',
  starBehindQuote:
    'In quotes * is a plain star, and behind them it means nothing: write the value without quotes.',
  levelUnknown: 'Write one of the levels debug, info, warn and error.',
  halfCharacter: 'Leave this out: it is half of a character.',
  tooLong: (bytesMax: number) => `Shorten this: a query has at most ${bytesMax} bytes.`,
  tooManyAtoms: (atomsMax: number) =>
    `Ask for less: a query has at most ${atomsMax} terms. Values of one field fit into one: field:(a,b).`,
  tooDeep: (levelsMax: number) => `Use fewer brackets: they go at most ${levelsMax} deep.`,
};
