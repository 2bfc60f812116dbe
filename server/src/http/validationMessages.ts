/** Explains in words what is wrong with a value, because the checker's messages are for programs. */
import { patternSentences } from '@tapedeck/domain/vocabulary';

export type Fault = { keyword: string; message: string; params: unknown };

type FaultParams = {
  allowedValues?: readonly string[];
  pattern?: string;
  limit?: number;
  type?: string | readonly string[];
};

const typeWords: Readonly<Record<string, string>> = {
  array: 'a list',
  boolean: 'true or false',
  integer: 'a whole number',
  null: 'null',
  number: 'a number',
  object: 'an object',
  string: 'a text',
};

/** The words after the value's name. */
export function describeFault({ keyword, params, message }: Fault): string {
  // Each keyword has its own parameters, so those of others are undefined.
  const { allowedValues = [], pattern = '', limit = 0, type = [] } = params as FaultParams;
  switch (keyword) {
    case 'type':
      return `must be ${[type].flat().map(nameType).join(' or ')}`;
    case 'enum':
      return `must be one of ${allowedValues.join(', ')}`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'minItems':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} items`;
    case 'maxItems':
      return `must have at most ${limit} items`;
    case 'boolean':
      return 'is not known';
    case 'pattern':
      return patternSentences[pattern] ?? message;
    default:
      return message;
  }
}

function nameType(type: string): string {
  return typeWords[type] ?? type;
}
