/** Base64url with exactly one encoding per sequence of bytes, for texts that must not appear in two spellings. */

/**
 * Returns the bytes, or null for a text that no encoder would write. `Buffer` alone also accepts padding, blanks, invalid characters, `+/` for `-_`,
 * and last characters with extra bits.
 */
export function decodeBase64url(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
}
