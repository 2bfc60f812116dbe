/** Writes the types of every call from `openapi.json`, so that the client's package needs no other package. */

type Schema = {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  patternProperties?: Record<string, Schema>;
  description?: string;
};

type Parameter = { $ref?: string; name: string; in: string; required?: boolean; schema: Schema };
type Content = Record<string, { schema: Schema }>;
type Operation = {
  operationId: string;
  summary?: string;
  parameters?: Parameter[];
  requestBody?: { content: Content };
  responses: Record<string, { content?: Content }>;
};

export type ApiDescription = {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema>; parameters?: Record<string, Parameter> };
};

// biome-ignore lint/suspicious/noTemplateCurlyInString: a type of the package, not a text of this file
const metadataFilters = 'type MetadataFilters = { [key: `metadata.${string}`]: string | undefined };';

const jsonType = 'application/json';

export function listOperations({
  paths,
}: ApiDescription): { method: string; path: string; operation: Operation }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** Replaces `client/src/api.ts` in the package, and exports the same names. */
export function writeClientTypes(api: ApiDescription): string {
  const shapes = Object.entries(api.components.schemas).map(
    ([name, schema]) => `export type ${nameType(name)} = ${writeType(schema)};`,
  );
  const operations = listOperations(api).map(({ operation }) => writeOperation(api, operation));
  return [
    '/** The types of every call, written from the description of the API. */',
    'export type ErrorCode = string;',
    'export type CallOptions = { signal?: AbortSignal };',
    metadataFilters,
    ...shapes,
    `type Operations = {\n${operations.join('\n')}\n};`,
    'export type RouteId = keyof Operations;',
    "export type Input<Id extends RouteId> = Operations[Id]['input'];",
    "export type Answer<Id extends RouteId> = Operations[Id]['answer'];",
    'type CallArguments<Given> = Record<never, never> extends Given',
    '  ? [input?: Given, options?: CallOptions]',
    '  : [input: Given, options?: CallOptions];',
    '/** One function per operation. Each rejects with a `TapedeckError`. */',
    'export type Client = {',
    '  readonly [Id in RouteId]: (...given: CallArguments<Input<Id>>) => Promise<Answer<Id>>;',
    '};',
    '',
  ].join('\n');
}

function writeOperation(api: ApiDescription, operation: Operation): string {
  const { operationId, summary = '', requestBody, responses } = operation;
  const parameters = (operation.parameters ?? []).map(parameter => resolveParameter(api, parameter));
  const parts = [
    writeParameters(
      'params',
      parameters.filter(({ in: place }) => place === 'path'),
    ),
    writeParameters(
      'query',
      parameters.filter(({ in: place }) => place === 'query'),
    ),
    requestBody ? `body: ${writeBody(requestBody.content)}` : 'body?: never',
  ];
  const content = responses['200']?.content;
  const answer = content?.[jsonType] ? writeType(content[jsonType].schema) : 'string';
  const comment = summary.replaceAll('*/', '* /');
  return `  /** ${comment} */\n  ${JSON.stringify(operationId)}: { input: { ${parts.join('; ')} }; answer: ${answer} };`;
}

function resolveParameter(api: ApiDescription, parameter: Parameter): Parameter {
  const name = parameter.$ref?.split('/').at(-1);
  return (name !== undefined && api.components.parameters?.[name]) || parameter;
}

function writeParameters(key: string, parameters: readonly Parameter[]): string {
  if (parameters.length === 0) return `${key}?: never`;
  const fields = parameters.map(
    ({ name, required = false, schema }) =>
      `${JSON.stringify(name)}${required ? '' : '?'}: ${writeType(schema)}${required ? '' : ' | undefined'}`,
  );
  const isRequired = parameters.some(({ required }) => required);
  const filters = key === 'query' ? ' & MetadataFilters' : '';
  return `${key}${isRequired ? '' : '?'}: { ${fields.join('; ')} }${filters}`;
}

function writeBody(content: Content): string {
  const types = Object.entries(content).flatMap(([type, { schema }]) => {
    if (type === jsonType) return [writeType(schema)];
    if (type === 'multipart/form-data') return ['FormData'];
    return type.startsWith('text/') ? ['string'] : [];
  });
  return [...new Set(types)].join(' | ') || 'never';
}

function writeType(schema: Schema): string {
  if (schema.$ref !== undefined) return nameType(schema.$ref.split('/').at(-1) ?? '');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map(value => JSON.stringify(value)).join(' | ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options) return options.map(option => `(${writeType(option)})`).join(' | ');
  if (schema.allOf) return schema.allOf.map(part => `(${writeType(part)})`).join(' & ');
  if (Array.isArray(schema.type)) return schema.type.map(type => writeType({ ...schema, type })).join(' | ');
  if (schema.type === 'array') return `(${schema.items ? writeType(schema.items) : 'unknown'})[]`;
  if (schema.type === 'object') return writeObject(schema);
  if (schema.type === 'integer') return 'number';
  return schema.type ?? 'unknown';
}

function writeObject({ properties, required = [], additionalProperties, patternProperties }: Schema): string {
  const fields = Object.entries(properties ?? {}).map(
    ([name, schema]) => `${JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${writeType(schema)}`,
  );
  const [others] = Object.values(patternProperties ?? {});
  const rest = others ?? (typeof additionalProperties === 'object' ? additionalProperties : null);
  if (fields.length === 0) return `Record<string, ${rest ? writeType(rest) : 'unknown'}>`;
  const known = `{ ${fields.join('; ')} }`;
  return rest ? `${known} & Record<string, ${writeType(rest)}>` : known;
}

/** Shape names may have characters that type names cannot; `Error` and `Client` are taken. */
function nameType(name: string): string {
  return `${name.replaceAll(/\W/g, '_')}Shape`;
}
