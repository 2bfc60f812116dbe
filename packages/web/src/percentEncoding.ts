/** Percent-encoding as URLs and signatures want it: everything that is not unreserved in RFC 3986. */

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
