/** Parses the arguments of a tool call, and explains mistakes in a sentence. */

import { invalidFieldError, ServiceError } from '@tapedeck/domain/vocabulary';
import { isObject, requireTexts } from '@tapedeck/values/json';
import type { TObject } from 'typebox';
import Value from 'typebox/value';

/** Assistants may write numbers as texts, and null for an absent argument. */
export function readArguments(tool: { name: string; input: TObject }, sent: unknown): object {
  if (!isObject(sent))
    throw new ServiceError('invalid_field', `The arguments of ${tool.name} must be an object.`);
  const known = Object.keys(tool.input.properties);
  const present = Object.entries(sent).filter(([, value]) => value !== null);
  const unknown = present.find(([name]) => !known.includes(name));
  if (unknown !== undefined)
    throw new ServiceError(
      'invalid_field',
      `${tool.name} has no argument ${JSON.stringify(unknown[0].slice(0, 100))}. Its arguments are ${known.join(', ')}.`,
    );
  const read = Object.fromEntries(
    present.map(([name, value]) => [name, readNumber(tool.input, name, value)]),
  );
  const [problem] = Value.Errors(tool.input, read);
  if (problem !== undefined) throw explainProblem(tool, problem);
  requireTexts(read, text => (text.includes('\0') ? 'must not hold the character U+0000.' : null));
  return read;
}

function readNumber({ properties }: TObject, name: string, value: unknown): unknown {
  // The shape of each argument has a type.
  const { type } = properties[name] as { type?: string };
  return type === 'integer' && typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
}

type Problem = ReturnType<typeof Value.Errors>[number];

function explainProblem({ name, input }: { name: string; input: TObject }, problem: Problem): ServiceError {
  if (problem.keyword === 'required') {
    // This keyword has these parameters.
    const [missing = ''] = (problem.params as { requiredProperties: string[] }).requiredProperties;
    return invalidFieldError(missing, `${name} needs the argument ${missing}: ${describe(input, missing)}`);
  }
  const field = problem.instancePath.slice(1).split('/', 1)[0] ?? '';
  return invalidFieldError(
    field,
    `${field} ${describeExpected(input, field)}. It is: ${describe(input, field)}`,
  );
}

/** Describes the expected argument in words, because assistants show them to people. */
function describeExpected({ properties }: TObject, name: string): string {
  // Typebox writes shapes this way.
  const { type, enum: choices } = (properties[name] ?? {}) as { type?: string; enum?: readonly string[] };
  if (choices !== undefined) return `must be one of ${choices.join(', ')}`;
  if (type === 'integer') return 'must be a whole number of 1 or more';
  return type === 'boolean' ? 'must be true or false' : 'must be a text';
}

function describe({ properties }: TObject, name: string): string {
  // Each argument has a description.
  const { description = '' } = (properties[name] ?? {}) as { description?: string };
  return description;
}
