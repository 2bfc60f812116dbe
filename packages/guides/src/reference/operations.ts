/** Reads the operations of an OpenAPI document, with references resolved, in display order. */

export type Schema = {
  $ref?: string;
  type?: string | readonly string[];
  description?: string;
  format?: string;
  pattern?: string;
  const?: unknown;
  enum?: readonly unknown[];
  default?: unknown;
  examples?: readonly unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  additionalProperties?: Schema | boolean;
  patternProperties?: Readonly<Record<string, Schema>>;
  anyOf?: readonly Schema[];
  allOf?: readonly Schema[];
};

export type Parameter = {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  description?: string;
  schema: Schema;
};

type Referring<T> = T | { $ref: string };
type Content = Readonly<Record<string, { schema?: Schema }>>;
type Described = {
  operationId: string;
  tags: readonly string[];
  summary: string;
  security?: readonly Readonly<Record<string, unknown>>[];
  parameters?: readonly Referring<Parameter>[];
  requestBody?: { required?: boolean; content: Content };
  responses: Readonly<Record<string, Referring<{ description: string; content?: Content }>>>;
};

/** The parts of OpenAPI 3.1 that a reference needs. */
export type ApiDocument = {
  info: { title: string; description?: string };
  tags: readonly { name: string; description?: string }[];
  'x-tagGroups': readonly { name: string; tags: readonly string[] }[];
  paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

export type Operation = {
  id: string;
  method: string;
  path: string;
  summary: string;
  /** Names of the security schemes, any of which is enough; none: anyone may call it. */
  credentials: readonly string[];
  parameters: readonly Parameter[];
  /** Bodies by content type. */
  bodies: readonly { type: string; schema: Schema }[];
  needsBody: boolean;
  answers: readonly {
    status: string;
    description: string;
    bodies: readonly { type: string; schema: Schema }[];
  }[];
};

export type Area = {
  name: string;
  slug: string;
  group: string;
  description: string;
  operations: readonly Operation[];
};

export type Api = {
  title: string;
  description: string;
  areas: readonly Area[];
  /** Returns the shape, and the name of its reference. */
  resolve(schema: Schema): { schema: Schema; name: string | null };
};

export function readApi(document: ApiDocument): Api {
  const find = (reference: string): unknown => {
    const [, part = '', name = ''] = /^#\/components\/(\w+)\/(.+)$/.exec(reference) ?? [];
    return document.components[part]?.[name];
  };
  /** A component has the type of its reference, because the same contract writes both. */
  const follow = <T>(value: Referring<T>): T =>
    typeof value === 'object' && value !== null && '$ref' in value ? (find(value.$ref) as T) : value;
  const operations = listOperations(document, follow);
  const areas = document['x-tagGroups'].flatMap(({ name: group, tags }) =>
    tags.map(name => ({
      name,
      slug: name
        .toLowerCase()
        .replaceAll(/[^a-z0-9]+/g, '-')
        .replaceAll(/^-|-$/g, ''),
      group,
      description: document.tags.find(tag => tag.name === name)?.description ?? '',
      operations: operations
        .filter(({ tag }) => tag === name)
        .map(({ operation }) => operation)
        .toSorted(compareOperations),
    })),
  );
  const resolve = (schema: Schema): { schema: Schema; name: string | null } =>
    schema.$ref === undefined
      ? { schema, name: null }
      : { schema: follow<Schema>({ $ref: schema.$ref }), name: schema.$ref.split('/').at(-1) ?? null };
  return { title: document.info.title, description: document.info.description ?? '', areas, resolve };
}

/** Sorts operations by path length, then in this order of methods. */
const methodOrder = ['POST', 'GET', 'HEAD', 'PATCH', 'PUT', 'DELETE'];

function compareOperations(one: Operation, other: Operation): number {
  const depth = ({ path }: Operation) => path.split('/').length;
  const rank = ({ method }: Operation) => methodOrder.indexOf(method);
  return depth(one) - depth(other) || one.path.localeCompare(other.path) || rank(one) - rank(other);
}

type Follow = <T>(value: Referring<T>) => T;

function listOperations(document: ApiDocument, follow: Follow): { tag: string; operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({
      tag: described.tags[0] ?? '',
      operation: readOperation({ path, method, described }, follow),
    })),
  );
}

type Place = { path: string; method: string; described: Described };

function readOperation({ path, method, described }: Place, follow: Follow): Operation {
  return {
    id: described.operationId,
    method: method.toUpperCase(),
    path,
    summary: described.summary,
    credentials: (described.security ?? []).flatMap(scheme => Object.keys(scheme)),
    parameters: (described.parameters ?? []).map(follow),
    bodies: listBodies(described.requestBody?.content),
    needsBody: described.requestBody?.required !== false,
    answers: Object.entries(described.responses).map(([status, referring]) => {
      const { description, content } = follow(referring);
      return { status, description, bodies: listBodies(content) };
    }),
  };
}

function listBodies(content: Content = {}): { type: string; schema: Schema }[] {
  return Object.entries(content).map(([type, { schema = {} }]) => ({ type, schema }));
}
