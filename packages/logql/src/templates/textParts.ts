/** Cuts texts and changes their case as Go's functions do. */
import { TemplateFailure } from './values.ts';

/** Like Go, changes each character to one character: `ß` stays. */
export function changeCase(text: string, change: (text: string) => string): string {
  if (/^[\x00-\x7f]*$/.test(text)) return change(text);
  return text.replaceAll(/./gsu, sign => {
    if (sign === 'İ' && change(sign) !== sign) return 'i';
    const changed = change(sign);
    return [...changed].length === 1 ? changed : sign;
  });
}

/** Truncates to a length in bytes, like Go. */
export function truncate(length: number, text: string): string {
  const bytes = Buffer.from(text);
  if (length < 0 && bytes.length + length > 0) return bytes.subarray(length).toString();
  return length >= 0 ? bytes.subarray(0, length).toString() : text;
}

export function cut(start: number, end: number, text: string): string {
  const bytes = Buffer.from(text);
  const from = Math.max(start, 0);
  const to = start >= 0 && (end < 0 || end > bytes.length) ? bytes.length : end;
  if (to < from || to > bytes.length) {
    const range =
      start >= 0 ? `[${from}:${to}]` : to < 0 ? `[:${to}]` : `[:${to}] with length ${bytes.length}`;
    throw new TemplateFailure(`error calling substr: runtime error: slice bounds out of range ${range}`);
  }
  return bytes.subarray(from, to).toString();
}
