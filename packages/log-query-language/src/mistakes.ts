/** Describes mistakes in a query: the place, what is wrong, and what to write instead. */
import { Failure } from '@tapedeck/values/failure';

/** Positions count UTF-16 units from zero. */
export type Mistake = {
  sentence: string;
  position: number;
  /** The position after the last wrong character; equal to `position` if something is missing. */
  end: number;
};

/** Codes of `QueryMistake`s. */
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
  quoteOpen: 'Close this quote with another ". Inside quotes, write \\" for a quote.',
  bracketOpen: 'Close this bracket with ).',
  bracketExtra: 'Remove this ) or open a bracket before it. To find the sign itself, put it in quotes.',
  bracketEmpty: 'Write a term between these brackets.',
  bracketInList: 'A list holds plain values, without brackets inside it.',
  listEmpty: 'Write at least one value between these brackets, such as level:(warn,error).',
  listSeparator: 'Put a comma or OR between the values of a list, and quotes around a value with spaces.',
  listValue: 'Write a value on each side of this comma or OR.',
  twoNegations: 'Write one negation: -a, or NOT a.',
  operand: (operator: string) =>
    operator === '-' || operator === 'NOT'
      ? `Write a term after ${operator}. To find the word itself, put it in quotes: "${operator}".`
      : `Write a term on each side of ${operator}. To find the word itself, put it in quotes: "${operator}".`,
  valueMissing: (start: string) =>
    `Put a value directly after ${start}, without a space. Use "" for an empty value.`,
  numberMissing: (start: string) => `Put a number directly after ${start}, without a space.`,
  numberUnreadable: (start: string) => `Write a number after ${start}, such as 100, -0.5 or 1e3.`,
  signFirst: (sign: string) =>
    `Put a field name directly before ${sign}, e.g. ms${sign.startsWith(':') ? sign : `:${sign}`}100. To find the sign itself, put the text in quotes.`,
  valueSignFirst: 'Put quotes around a value that begins with :, =, < or >.',
  notEqual: (name: string) => `Write -${name}=… for "not equal". There is no !=.`,
  starInName: 'Write the field name without *. If the name really has a star, put it in quotes.',
  starBehindQuote: 'Inside quotes * is a plain star. For a wildcard, write the value without quotes.',
  levelUnknown: 'Write one of the levels debug, info, warn or error.',
  halfCharacter: 'Remove this: it is half of a character.',
  tooLong: (bytesMax: number) => `Shorten this. A query has at most ${bytesMax} bytes.`,
  tooManyAtoms: (atomsMax: number) =>
    `A query has at most ${atomsMax} terms. Several values of one field are one term: field:(a,b).`,
  tooDeep: (levelsMax: number) => `Use fewer brackets: they nest at most ${levelsMax} deep.`,
};
