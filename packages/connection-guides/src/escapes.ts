/** Values as they may stand in the texts of snippets. Of a connection only folders hold letters that mean something. */

/** Part of a query; within quotes of any kind, too. */
export function inQuery(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    letter => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Folders in the path of a URL, with a slash behind them; nothing for none. */
export function inPath(folder: string): string {
  return folder === '' ? '' : `${folder.split('/').map(inQuery).join('/')}/`;
}

/** A word of a shell, PowerShell not among them. */
export function inShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** In quotes, as JavaScript, Python, Lua and most others read it. */
export function inQuotes(text: string): string {
  return JSON.stringify(text);
}

type AddressParts = { isSecure: boolean; host: string; port: number };

/** Of tools that want them one by one. Somebody may be typing it. */
export function partsOf(address: string): AddressParts {
  const [, scheme = 'https', host = '', port] =
    /^(https?):\/\/(\[[^\]]*\]|[^/:]*)(?::(\d+))?/.exec(address) ?? [];
  const isSecure = scheme === 'https';
  return { isSecure, host, port: port === undefined ? (isSecure ? 443 : 80) : Number(port) };
}

/** With name and token before the host. */
export function withCredentials(address: string, token: string): string {
  return address.replace('://', `://tapedeck:${token}@`);
}
