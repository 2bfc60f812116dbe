/** Base64url with one spelling for each sequence of bytes, for texts that must not pass twice in different spellings. */

/**
 * The bytes, or null for a text that no encoder writes for them: `Buffer` alone also takes padding, blanks, characters of no
 * alphabet, `+/` for `-_`, and last characters that differ in bits that mean nothing.
 */
export function decodeBase64url(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
}
