/** Reporter of one test file's process: a line of JSON for each thing that the counting of results needs. */
import { inspect } from 'node:util';

const textCharactersMax = 20_000; // beyond that nobody reads the report of one failure

export default async function* report(source) {
  for await (const { type, data } of source) {
    const line = describe(type, data);
    if (line) yield `${JSON.stringify(line)}\n`;
  }
}

function describe(type, data) {
  if (type === 'test:summary') return { type: 'summary', counts: data.counts };
  if (type !== 'test:pass' && type !== 'test:fail') return undefined;
  if (data.skip !== undefined || data.todo !== undefined) return { type: 'skip', name: data.name };
  if (type === 'test:pass') return data.details.type === 'suite' ? undefined : { type: 'pass' };
  if (data.details.error.failureType === 'subtestsFailed') return undefined;
  const { error } = data.details;
  return {
    type: 'failure',
    name: data.name,
    text: inspect(error.cause ?? error).slice(0, textCharactersMax),
  };
}
