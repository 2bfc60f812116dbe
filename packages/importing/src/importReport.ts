/** Reports an import's progress and result. */
import { formatNumber, openProgress, type ReportProgress, type Say } from '@tapedeck/command-line';

export type ImportCounts = { found: number; imported: number; skipped: number; failed: number };

export type ImportWatch = {
  say: Say;
  /** Shows progress on a terminal. */
  openProgress(title: string, all: number | null): ReportProgress;
  /** Reports a file, line or entry that cannot be imported. Shows only the first ones. */
  refuse(name: string, sentence: string): void;
};

const refusalsShownMax = 20; // one screen

export function openWatch(): ImportWatch {
  const say = (line: string) => void process.stderr.write(`${line}\n`);
  let refusals = 0;
  return {
    say,
    openProgress: (title, all) => openProgress(process.stderr.isTTY ? say : () => {}, title, all),
    refuse(name, sentence) {
      refusals += 1;
      if (refusals <= refusalsShownMax) say(`${name}: ${sentence}`);
      if (refusals === refusalsShownMax) say('Further problems are only counted.');
    },
  };
}

export function describeCounts(noun: string, { found, imported, skipped, failed }: ImportCounts): string {
  const failures = failed === 0 ? '' : ` ${formatNumber(failed)} failed; the reasons are above.`;
  const others = skipped === 0 ? '' : `, ${formatNumber(skipped)} were there already or are not wanted`;
  return `Imported ${formatNumber(imported)} of ${formatNumber(found)} ${noun}${others}.${failures}`;
}
