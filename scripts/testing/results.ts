/** Counts a test file's results from the events of its process. A result without an event is not a success. */
type Failure = { name: string; text: string };

export type FileResult = {
  path: string;
  passed: number;
  failures: Failure[];
  /** The file's output, for reading its failures. */
  output: string;
  tookMs: number;
  /** Processor time of the file and all processes that it started and waited for. */
  processorMs: number;
};

type Counts = { tests: number; passed: number; failed: number; cancelled: number };
export type TestEvent =
  | { type: 'summary'; counts: Counts; processorMs: number }
  | { type: 'end'; processorMs: number }
  | { type: 'pass' }
  | { type: 'failure'; name: string; text: string }
  | { type: 'skip'; name: string };

const wholeFile = 'the file as a whole';

/** `problems`: errors outside of the tests. */
export function countResults(
  events: readonly TestEvent[],
  problems: readonly string[],
): Pick<FileResult, 'passed' | 'failures'> {
  const failures = events.flatMap<Failure>(event => {
    if (event.type === 'failure') return [{ name: event.name, text: event.text }];
    if (event.type === 'skip')
      return [{ name: event.name, text: 'It was skipped: let it run, or remove it.' }];
    return [];
  });
  for (const text of problems) failures.push({ name: wholeFile, text });
  return { passed: events.filter(({ type }) => type === 'pass').length, failures };
}

export function describeEarlyEnd(status: number | null): string {
  return `It ended with ${status} before its tests did: see what it printed.`;
}

export function describeTimeout(timeMsMax: number): string {
  return `It took longer than ${timeMsMax / 1_000} s: something it opened is still open, or what it waits for never happens.`;
}

export const noTest = 'It contains no test: write one, or remove the file.';
