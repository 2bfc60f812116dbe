/** What the catalogue says of a tool. */

/** Where a tool sends to, and what it needs for that. */
export type Connection = {
  /** Of the service, as `https://media.example.org`: no slash at its end. */
  address: string;
  token: string;
  dataset: string;
  /** For files; empty: none. */
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
] as const;
export type Group = (typeof groups)[number];

/** What of a service a tool speaks to: a protocol of its own, or one of other programs. */
type Door =
  | 'entries'
  | 'lines'
  | 'chat'
  | 'loki'
  | 'otlp'
  | 'bulk'
  | 'datadog'
  | 'splunk'
  | 'upload'
  | 'resumable'
  | 'presigned'
  | 'fivemerr';

export type Language =
  | 'sh'
  | 'powershell'
  | 'javascript'
  | 'typescript'
  | 'python'
  | 'java'
  | 'csharp'
  | 'go'
  | 'rust'
  | 'cpp'
  | 'lua'
  | 'json'
  | 'yaml'
  | 'toml'
  | 'xml'
  | 'ini'
  | 'text';

export type Narrowing = 'dataset' | 'folder';

/** The least that a token must be allowed for the tool to work. */
export type TokenNeed = {
  kind: 'logs' | 'media' | 'webhook';
  actions: readonly ('read' | 'write' | 'delete')[];
  /** What it can be kept to beside. */
  narrowedBy: readonly Narrowing[];
};

/** A text to put somewhere, with the connection in it. */
export type Snippet = {
  /** The name of its file, or what is done with it. */
  name: string;
  language: Language;
  /** Whether it is a file of its own, as it stands. */
  isFile?: true;
  write(connection: Connection): string;
};

export type Guide = {
  /** Part of an address. */
  id: string;
  title: string;
  group: Group;
  /** One sentence. */
  about: string;
  sends: 'logs' | 'media' | 'both';
  /** What people look for when they mean it, beside its title. */
  words: readonly string[];
  door: Door;
  token: TokenNeed;
  /** A command; null where there is nothing to install. */
  install: string | null;
  snippets: readonly Snippet[];
  /** What makes the tool send something. */
  test: Snippet;
  /** What people meet, and what it means. */
  notes: readonly { sees: string; means: string }[];
};

/** Stands where a token will. */
export function placeholderOf({ token }: Guide): string {
  return `YOUR_${token.kind.toUpperCase()}_TOKEN`;
}

/** As a token is asked for at the service. */
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
