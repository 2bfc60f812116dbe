/** Removes a target's secrets from stored responses, because some servers echo the requested path. */

const shortestSecret = 6; // shorter parts are common words in addresses, and easily guessed

/** Path, query, user and password give access to the target, each alone or combined. */
export function hideTarget(text: string, target: string): string {
  if (!URL.canParse(target)) return text;
  const { pathname, search, searchParams, username, password } = new URL(target);
  const parts = [
    pathname + search,
    pathname,
    search.slice(1),
    `${username}:${password}`,
    username,
    password,
    ...pathname.split('/'),
    ...searchParams.values(),
  ];
  const header = Buffer.from(`${decode(username)}:${decode(password)}`).toString('base64');
  const secrets = [...parts.flatMap(part => [part, decode(part)]), header];
  const longestFirst = [...new Set(secrets)]
    .filter(secret => secret.length >= shortestSecret)
    .sort((one, other) => other.length - one.length);
  return longestFirst.reduce((hidden, secret) => hidden.replaceAll(secret, '…'), text);
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // an incomplete escape
  }
}
