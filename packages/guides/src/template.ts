/** Fills the placeholders of a guide: `{{address}}`, `{{folder | shell}}`, and sections such as `{{#folder}}…{{/folder}}`. */
import type { Connection } from './guide.ts';

type Values = Readonly<Record<string, string>>;

/** `{{#…}}` keeps a section if its condition holds, `{{^…}}` if it does not. */
const section = /\{\{([#^])(\w+)\}\}([\s\S]*?)\{\{\/\2\}\}/g;
const placeholder = /\{\{(\w+)(?: \| (\w+))?\}\}/g;

/** Each escapes a value for its place. Except for `quotes`, the template writes the quotes. */
const filters: Readonly<Record<string, (text: string) => string>> = {
  query: escapeQuery,
  // Writes the folders of a URL, each followed by a slash.
  path: folder => (folder === '' ? '' : `${folder.split('/').map(escapeQuery).join('/')}/`),
  shell: text => text.replaceAll("'", `'\\''`),
  // Includes the quotes, in the syntax of JavaScript, Python, Lua and most other languages.
  quotes: text => JSON.stringify(text),
  sharex: text => JSON.stringify(text.replaceAll(/[\\{}|%]/g, sign => `\\${sign}`)).slice(1, -1),
};

export function fillTemplate(template: string, connection: Connection): string {
  const { values, conditions } = readConnection(connection);
  return template
    .replaceAll(section, (_whole, sign: string, name: string, inner: string) => {
      const isKept = conditions[name];
      if (isKept === undefined)
        throw new Error(`A guide has the section {{${sign}${name}}}, which does not exist.`);
      return isKept === (sign === '#') ? inner : '';
    })
    .replaceAll(placeholder, (whole, name: string, filter?: string) => {
      const value = values[name];
      const apply = filter === undefined ? escapeBare : filters[filter];
      if (value === undefined || apply === undefined)
        throw new Error(`A guide has the placeholder ${whole}, which does not exist.`);
      if (filter === undefined && name === 'folder')
        throw new Error('A guide has the placeholder {{folder}} without a filter.');
      return apply(value.toWellFormed());
    });
}

/** Leaves valid addresses, tokens and datasets unchanged. A value that a user is still typing must not break out of its place. */
function escapeBare(text: string): string {
  return text.replaceAll(/[^\w.~:/[\]@-]+/g, escapeQuery);
}

function readConnection({ address, token, dataset, folder }: Connection) {
  const [, scheme = 'https', host = '', port] =
    /^(https?):\/\/(\[[^\]]*\]|[^/:]*)(?::(\d+))?/.exec(address) ?? []; // the user may still be typing
  const isSecure = scheme === 'https';
  const values: Values = {
    address,
    token,
    dataset,
    folder,
    scheme,
    host,
    port: port ?? (isSecure ? '443' : '80'),
    authority: address.replace(/^https?:\/\//, ''),
  };
  const conditions: Readonly<Record<string, boolean>> = { folder: folder !== '', secure: isSecure };
  return { values, conditions };
}

/** Escapes a query parameter so that it is also safe within quotes of any kind. */
function escapeQuery(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    letter => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
