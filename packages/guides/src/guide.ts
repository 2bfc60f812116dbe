/** Defines a guide: how to connect a tool to the service. */

/** The address a tool sends to, with its credentials. */
export type Connection = {
  /** The service's address, such as `https://media.example.org`, without a trailing slash. */
  address: string;
  token: string;
  dataset: string;
  /** The folder for files; empty: none. */
  folder: string;
};

export const groups = [
  'Command line',
  'Screenshots and uploads',
  'Games',
  'Chat webhooks',
  'Node.js',
  'Python',
  'Java, .NET and Go',
  'OpenTelemetry',
  'Shippers and servers',
  'Assistants',
] as const;
type Group = (typeof groups)[number];

/** How the tool talks to the service. */
export const protocols = [
  'entries',
  'lines',
  'chat',
  'loki',
  'otlp',
  'bulk',
  'datadog',
  'splunk',
  'gelf',
  'sentry',
  'upload',
  'resumable',
  'presigned',
  'fivemerr',
  'mcp',
] as const;
type Protocol = (typeof protocols)[number];

export const languages = [
  'sh',
  'powershell',
  'javascript',
  'typescript',
  'python',
  'java',
  'csharp',
  'go',
  'rust',
  'cpp',
  'lua',
  'json',
  'yaml',
  'toml',
  'xml',
  'ini',
  'text',
] as const;
export type Language = (typeof languages)[number];

type Narrowing = 'dataset' | 'folder';

/** The least access the tool's token needs. */
type TokenNeed = {
  kind: 'logs' | 'media' | 'webhook';
  actions: readonly ('read' | 'write' | 'delete')[];
  /** Restrictions that the token may have. */
  narrowedBy: readonly Narrowing[];
};

/** A text to copy, with the connection filled in. */
export type Snippet = {
  /** A file name, or what the snippet does. */
  name: string;
  language: Language;
  /** Whether it is a complete file. */
  isFile?: boolean;
  write(connection: Connection): string;
};

export type Guide = {
  /** Part of an address. */
  id: string;
  title: string;
  group: Group;
  /** The guide's place within its group. */
  order: number;
  /** One sentence. */
  about: string;
  sends: 'logs' | 'media' | 'both';
  /** Further search words. */
  words: readonly string[];
  protocol: Protocol;
  token: TokenNeed;
  /** A command; null if nothing needs to be installed. */
  install: string | null;
  snippets: readonly Snippet[];
  /** A test that makes the tool send something. */
  test: Snippet;
  /** Common problems and their causes. */
  notes: readonly { sees: string; means: string }[];
  /** The whole guide in Markdown, with placeholders. */
  text: string;
};

/** Returns the placeholder to show until there is a token. */
export function placeholderOf({ token }: Guide): string {
  return `YOUR_${token.kind.toUpperCase()}_TOKEN`;
}

/** Returns whether the tool only reads. */
export function readsOnly({ token }: Pick<Guide, 'token'>): boolean {
  return !token.actions.includes('write');
}

/** Returns the scopes to request for the tool's token. */
export function scopesOf(
  { token }: Guide,
  { dataset, folder }: Pick<Connection, 'dataset' | 'folder'>,
): string[] {
  return [
    ...token.actions,
    ...(token.narrowedBy.includes('dataset') && dataset !== '' ? [`dataset:${dataset}`] : []),
    ...(token.narrowedBy.includes('folder') && folder !== '' ? [`path:${folder}`] : []),
  ];
}
