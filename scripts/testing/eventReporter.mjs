/** Reporter for a process that runs test files: sends events as lines of JSON, or as messages to the runner if the process runs several files. */
import { readdirSync, readFileSync } from 'node:fs';
import { inspect } from 'node:util';

const textCharactersMax = 20_000; // a longer report of one failure is not readable
const ticksPerSecond = 100; // the unit of Linux's process figures

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

/** Returns the processor time of this process, its children and those they waited for; 0 if the system does not provide it. */
function readProcessorMs() {
  const all = readProcesses();
  const below = [process.pid];
  for (const parent of below) below.push(...(all.get(parent)?.children ?? []));
  const ticks = below.reduce((sum, pid) => sum + (all.get(pid)?.ticks ?? 0), 0);
  return (ticks * 1_000) / ticksPerSecond;
}

/** Lists processes by id. Includes children, because a shared Chromium uses most of the processor time. */
function readProcesses() {
  const all = new Map();
  const find = pid => all.getOrInsertComputed(pid, () => ({ ticks: 0, children: [] }));
  for (const name of listProcesses()) {
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      find(Number(name)).ticks = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0);
      find(Number(fields[1])).children.push(Number(name));
    } catch {} // the process has ended
  }
  return all;
}

function listProcesses() {
  try {
    return readdirSync('/proc').filter(name => /^\d+$/.test(name));
  } catch {
    return []; // not Linux
  }
}
