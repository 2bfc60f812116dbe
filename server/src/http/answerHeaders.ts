/** The headers of every answer, and headers as lines of HTTP. */
export const usualHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/** Without a charset: JSON is UTF-8 by its standard, and some clients compare the type letter by letter. */
export const jsonType = 'application/json';

/** Takes names and values of headers in turn. */
export function joinLines(lines: readonly string[]): string {
  let text = '';
  for (let index = 0; index < lines.length; index += 2) text += `${lines[index]}: ${lines[index + 1]}\r\n`;
  return text;
}
