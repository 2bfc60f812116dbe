/** What stands in every answer, whatever it says. */
export const usualHeaders: Readonly<Record<string, string>> = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

/** Names and values in turn become lines. */
export function joinLines(lines: readonly string[]): string {
  let text = '';
  for (let index = 0; index < lines.length; index += 2) text += `${lines[index]}: ${lines[index + 1]}\r\n`;
  return text;
}
