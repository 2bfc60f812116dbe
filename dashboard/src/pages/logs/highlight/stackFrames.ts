/** Finds stack frames of many languages in a text, and folds those after the first few. */

/** A folded range: whole lines, without the last line's end. */
export type Fold = { start: number; end: number; frames: number };

type Line = { text: string; start: number; end: number };
/** `ending`: the frame that failed comes last. */
type Frame = { start: number; end: number; order: 'beginning' | 'ending' };

const shownFrames = 3;
const foldedFramesMin = 2; // a single frame takes no more room than the button to unfold it
const frameLettersMax = 2_000; // generous for a path, its function and arguments

const oneLineFrames: readonly RegExp[] = [
  /^\s+at \S/, // JavaScript, Java, Kotlin, C#
  /^\s+\.\.\. \d+ (?:more|common frames omitted)/, // Java
  /^[^\s@]*@\S+:\d+:\d+$/, // JavaScript in Firefox and Safari
  /^\s+(?:\[C\]|\S.*:\d+): in /, // Lua
  /^\s+\(?\.\.\.(?:\(?tail calls?\)?|\t\(skipping )/, // Lua
  /^\s*(?:\[[^\]]+\]\s*)?>\s.*\((?:@|<|\[|citizen:)[^()]*\)\s*$/, // Lua in FiveM
  /^#\d+ (?:\[internal function\]|.+[:(]\d+\)?):? /, // PHP
  /^\s*(?:from )?\S.*:\d+:in [`'][^`']*'$/, // Ruby
  /\(at [^()]+:\d+\)\s*$/, // Unity
];
const pythonFrame = /^([\s|]+)File ".*", line \d+/; // groups of exceptions have lines at the side
const pythonRepeats = /^[\s|]+\[Previous line repeated /;
const goPlace = /^\t\S.*:\d+(?: \+0x[\da-f]+)?$/;

export function foldStackFrames(text: string): readonly Fold[] {
  if (!text.includes('\n')) return [];
  const folds: Fold[] = [];
  let run: Frame[] = [];
  const close = () => {
    const fold = foldRun(run);
    if (fold !== null) folds.push(fold);
    run = [];
  };
  const lines = splitLines(text);
  for (let at = 0; at < lines.length; ) {
    const found = readFrame(lines, at);
    if (found === null || found.frame.order !== (run[0] ?? found.frame).order) close();
    if (found !== null) run.push(found.frame);
    at += found?.lines ?? 1;
  }
  close();
  return folds;
}

function foldRun(run: readonly Frame[]): Fold | null {
  const folded = run[0]?.order === 'ending' ? run.slice(0, -shownFrames) : run.slice(shownFrames);
  const [first, last] = [folded[0], folded.at(-1)];
  if (first === undefined || last === undefined || folded.length < foldedFramesMin) return null;
  return { start: first.start, end: last.end, frames: folded.length };
}

function readFrame(lines: readonly Line[], at: number): { frame: Frame; lines: number } | null {
  const line = lines[at];
  if (line === undefined) return null;
  const { text, start, end } = line;
  if (text.length > frameLettersMax) return null;
  if (oneLineFrames.some(pattern => pattern.test(text)))
    return { frame: { start, end, order: 'beginning' }, lines: 1 };
  const indentation = pythonFrame.exec(text)?.[1];
  if (indentation !== undefined) {
    const count = countDeeper(lines, at + 1, indentation.length);
    return { frame: { start, end: lines[at + count]?.end ?? end, order: 'ending' }, lines: 1 + count };
  }
  const next = lines[at + 1];
  if (next === undefined || !/^\S/.test(text) || !goPlace.test(next.text)) return null;
  return { frame: { start, end: next.end, order: 'beginning' }, lines: 2 };
}

/** Counts the lines that Python prints below a frame: its source, and how often it repeats. */
function countDeeper(lines: readonly Line[], from: number, indentation: number): number {
  let count = 0;
  while (/^[\s|]*/.exec(lines[from + count]?.text ?? '')![0].length > indentation) count++;
  return pythonRepeats.test(lines[from + count]?.text ?? '') ? count + 1 : count;
}

function splitLines(text: string): Line[] {
  let start = 0;
  return text.split('\n').map(line => {
    const place = { text: line.endsWith('\r') ? line.slice(0, -1) : line, start, end: start + line.length };
    start = place.end + 1;
    return place;
  });
}
