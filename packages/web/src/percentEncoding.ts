/** Percent-encodes texts for URLs and signatures: everything except the unreserved characters of RFC 3986. */

/** For the path of a URL: slashes stay. */
export function encodeKey(key: string): string {
  return encodeUnreserved(key).replaceAll('%2F', '/');
}

export function encodeUnreserved(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
