/** Variants of a credential that a careless parser accepts as the same. */

const base64url = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** Returns named spellings, without those equal to the text itself. */
export function spellOtherwise(text: string): [name: string, spelling: string][] {
  const last = base64url.indexOf(text.at(-1) ?? '');
  const half = Math.floor(text.length / 2);
  const all: [string, string][] = [
    ['padded', `${text}=`],
    ['padded twice', `${text}==`],
    ['with a trailing exclamation mark', `${text}!`],
    ['with an exclamation mark inside', `${text.slice(0, half)}!${text.slice(half)}`],
    ['with a leading space', ` ${text}`],
    ['with a trailing space', `${text} `],
    ['with a space inside', `${text.slice(0, half)} ${text.slice(half)}`],
    ['with a line break', `${text}\n`],
    ['with a zero byte', `${text}\0`],
    ['with a zero-width space', `${text}\u200b`],
    ['with base64 letters', text.replaceAll('-', '+').replaceAll('_', '/')],
    ['percent-encoded', `%${text.charCodeAt(0).toString(16)}${text.slice(1)}`],
    ['in full-width letters', String.fromCodePoint(text.charCodeAt(0) + 0xfee0) + text.slice(1)],
    ['in capitals', text.toUpperCase()],
    ['without its last character', text.slice(0, -1)],
    ['with a leading zero', `0${text}`],
    // The unused low bits of the last character.
    ...[1, 2, 3, 8, 15].map((bits): [string, string] => [
      `with other last bits (${bits})`,
      text.slice(0, -1) + base64url[Math.max(0, last) ^ bits],
    ]),
  ];
  return all.filter(([, spelling]) => spelling !== text);
}

/** Spellings that a header can carry without being trimmed. */
export function spellInHeaders(text: string): [name: string, spelling: string][] {
  return spellOtherwise(text).filter(
    ([, spelling]) => /^[\x20-\x7e]+$/.test(spelling) && spelling.trim() === spelling,
  );
}
