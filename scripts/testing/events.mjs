/**
 * Reporter of a process that runs test files: what the counting of results needs, as lines of JSON, or as messages to the runner
 * where the process runs several files.
 */
import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';

const textCharactersMax = 20_000; // beyond that nobody reads the report of one failure
const ticksPerSecond = 100; // Linux counts so in every process's figures

const hasRunner = process.connected === true;

export default async function* report(source) {
  for await (const { type, data } of source) {
    const line = describe(type, data);
    if (!hasRunner) {
      if (line) yield `${JSON.stringify(line)}\n`;
    } else if (process.connected) {
      if (line) process.send(line);
      if (isEndOfFile(type, data)) process.send({ type: 'end', processorMs: readProcessorMs() });
    }
  }
}

function describe(type, data) {
  if (type === 'test:summary')
    return { type: 'summary', counts: data.counts, processorMs: readProcessorMs() };
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

function isEndOfFile(type, { nesting }) {
  return nesting === 0 && (type === 'test:pass' || type === 'test:fail');
}

/** What this process and those it has started and seen end have used of the processors; 0 where the system does not say. */
function readProcessorMs() {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    const [user, system, usersOfEnded, systemsOfEnded] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .slice(11, 15);
    return ((+user + +system + +usersOfEnded + +systemsOfEnded) * 1_000) / ticksPerSecond;
  } catch {
    return 0;
  }
}
