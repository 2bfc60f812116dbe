/** Percent-encodes texts for URLs and signatures: everything except the unreserved characters of RFC 3986. */

/** Keeps slashes, for the path of a URL. */
export function encodeKey(key: string): string {
  return encodeUnreserved(key).replaceAll('%2F', '/');
}

export function encodeUnreserved(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
