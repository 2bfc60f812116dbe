/** Runs one test file in a separate process, counts its results, and ends whatever it leaves behind. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { repositoryRoot } from '../repository.ts';
import { processGroupOf, roomyHeap } from './processGroups.ts';
import {
  countResults,
  describeEarlyEnd,
  describeTimeout,
  type FileResult,
  noTest,
  type TestEvent,
} from './results.ts';
import { makeTemporary, removeTemporary } from './temporaryFolders.ts';
import { endLeftovers, endProcess, reporter, startTestProcess, type TestProcess } from './testProcess.ts';

export async function runTestFile(path: string, timeMsMax: number): Promise<FileResult> {
  const startedAt = performance.now();
  const temporary = makeTemporary();
  const eventsPath = join(temporary, 'events.ndjson');
  const heap = processGroupOf(path) === 'measuring memory' ? [] : roomyHeap;
  const flags = [...heap, reporter, `--test-reporter-destination=${eventsPath}`];
  const started = startTestProcess([...flags, resolve(repositoryRoot, path)], { temporary });
  const { status, problems } = await awaitEnd(started, timeMsMax);
  problems.push(...(await endLeftovers(started.child, true)));
  const events = readEvents(eventsPath);
  const { passed, failures } = countResults(events, problems);
  if (failures.length === 0) failures.push(...countResults([], findSilentProblems(events, status)).failures);
  try {
    removeTemporary(temporary);
  } catch (error) {
    failures.push(...countResults([], [`Its temporary folder stays: ${String(error)}`]).failures);
  }
  const processorMs = findSummary(events)?.processorMs ?? 0;
  const tookMs = performance.now() - startedAt;
  return { path, passed, failures, output: started.takeOutput(), tookMs, processorMs };
}

function findSummary(events: readonly TestEvent[]) {
  return events.find(event => event.type === 'summary');
}

function findSilentProblems(events: readonly TestEvent[], status: number | null): string[] {
  if (status !== 0) return [describeEarlyEnd(status)];
  const counts = findSummary(events)?.counts;
  if (counts === undefined || counts.tests === 0) return [noTest];
  return counts.failed + counts.cancelled > 0 ? ['A test failed without saying why.'] : [];
}

async function awaitEnd(
  { child, exit }: TestProcess,
  timeMsMax: number,
): Promise<{ status: number | null; problems: string[] }> {
  const problems: string[] = [];
  const timer = setTimeout(() => {
    problems.push(describeTimeout(timeMsMax));
    endProcess(child);
  }, timeMsMax);
  const { status, signal } = await exit;
  clearTimeout(timer);
  if (signal && problems.length === 0) problems.push(`It was ended by ${signal}.`);
  return { status, problems };
}

function readEvents(path: string): TestEvent[] {
  try {
    const lines = readFileSync(path, 'utf8').split('\n').filter(Boolean);
    return lines.map((line): TestEvent => JSON.parse(line));
  } catch {
    return []; // it ended before its first line
  }
}
