/** Prints a test run: a line for each file, all failures in full, and a summary. */
import { styleText } from 'node:util';
import type { FileResult } from './results.ts';

export function printFile(result: FileResult): void {
  const { path, passed, failures, tookMs, processorMs } = result;
  const isFine = failures.length === 0;
  const mark = isFine ? styleText('green', 'ok  ') : styleText('red', 'FAIL');
  const counts = isFine ? `${passed} passed` : `${passed} passed, ${failures.length} failed`;
  const times = `${seconds(tookMs)} s (${seconds(processorMs)} s of processor time)`;
  console.log(`${mark} ${path}: ${counts}, ${times}`);
  if (!isFine) printFailures(result);
}

function printFailures({ failures, output }: FileResult): void {
  for (const { name, text } of failures) {
    console.log(`\n  ${styleText('red', name)}\n${indent(text)}`);
  }
  if (output.trim() !== '') console.log(`\n  It printed:\n${indent(output.trim())}`);
  console.log('');
}

const linesAgainMax = 12;

/** Repeats the failures in short, because often only the end of a long run is kept. */
export function formatFailedAgain({ path, failures, output }: FileResult): string {
  const texts = failures.map(({ name, text }) => `${name}\n${text}`);
  const printed = output.trim().split('\n').slice(-linesAgainMax).join('\n');
  const shortened = texts.map(text => text.split('\n').slice(0, linesAgainMax).join('\n'));
  return [`failed: ${path}`, ...[...shortened, printed].filter(Boolean).map(indent)].join('\n');
}

function seconds(ms: number): string {
  return (ms / 1_000).toFixed(1);
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, '    ');
}

const slowestMax = 10;

/** Lists the slowest files first, to show where a run spends its time. */
export function formatSlowest(results: readonly Pick<FileResult, 'path' | 'tookMs'>[]): string {
  const slowest = results.toSorted((one, other) => other.tookMs - one.tookMs).slice(0, slowestMax);
  const lines = slowest.map(({ path, tookMs }) => `${(tookMs / 1_000).toFixed(1).padStart(7)} s  ${path}`);
  return ['Slowest files:', ...lines].join('\n');
}

/** Shows how busy the processors were. If there is room, more files may run at once; if not, only cheaper tests shorten a run. */
export function formatUse(share: number): string {
  return `The processors were busy for ${Math.round(share * 100)} % of the time.`;
}

/** The summary line, which programs parse. */
export function formatSum({ passed, failed }: { passed: number; failed: number }): string {
  return `${passed} passed, ${failed} failed`;
}
