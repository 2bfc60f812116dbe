/** Writes the contract as OpenAPI 3.1. The shapes already are JSON Schema. */
import { languageDescription } from '@tapedeck/log-query-language/description';
import type { TObject, TSchema } from 'typebox';
import * as areas from './areas.ts';
import * as chat from './chat.ts';
import { Components, groupByStatus, type Json, toPascalCase } from './components.ts';
import * as routing from './route.ts';
import { type Access, ErrorResponse, errorsOf, type Route } from './route.ts';
import * as values from './values.ts';

/** Version of the API description: SERVICE.md, Versioning. The product's version is in `/api/manage/state`. */
const descriptionVersion = '1.0';

const description = [
  'Tapedeck stores media and logs of game servers and apps. Every error is `{"error": sentence, "code": code}`; `field` names the wrong field, if there is one.',
  'The section Logs describes the language of `query`.',
  "Other programs' protocols, such as those of Loki, OpenTelemetry and Sentry, have their own routes, which answer as those programs expect.",
  'See also the guides to [connecting tools](/docs/connect) and [notifications](/docs/notifications).',
].join(' ');

const areaDescriptions: Readonly<Record<string, { description: string }>> = {
  Logs: { description: languageDescription },
};

/** Areas in the order in which newcomers need them. */
const areaGroups: readonly { name: string; tags: readonly string[] }[] = [
  { name: 'Media and logs', tags: ['Files', 'Logs', 'Resumable uploads', 'SDK sessions'] },
  { name: 'Projects', tags: ['Projects', 'Tokens', 'Datasets', 'Usage', 'Saved log views'] },
  { name: 'Subjects', tags: ['Subjects'] },
  { name: 'Alerts', tags: ['Rules', 'Channels', 'Deliveries', 'Issues'] },
  { name: 'For signed-in users', tags: ['Files of a project', 'Logs of a project', 'Audit log'] },
  {
    name: 'Users and sign-in',
    tags: ['Accounts', 'Users', 'Invitations', 'Second factor', 'Passkeys', 'Sign-in provider'],
  },
  { name: 'The service itself', tags: ['Service', 'Machine'] },
  { name: 'Older versions', tags: ['Legacy'] },
];

const securitySchemes = {
  token: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The token, or `Bearer` followed by the token.',
  },
  apiKey: { type: 'apiKey', in: 'query', name: 'apiKey' },
  session: { type: 'apiKey', in: 'cookie', name: 'tapedeck_session' },
};

/** Leaves out routes of other programs' protocols, because their own documentation describes them. */
export function describeApi(routes: readonly Route[]): Json {
  const own = routes.filter(({ isForeign }) => !isForeign);
  const components = nameShapes(own);
  const paths: Record<string, Json> = {};
  for (const route of own) {
    const path = route.path.replace('*}', '}');
    const summary = describeSummary(route, own);
    paths[path] = {
      ...paths[path],
      [route.method.toLowerCase()]: { ...describeRoute(route, components), summary },
    };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Tapedeck', version: descriptionVersion, description },
    tags: listAreas(own).map(name => ({ name, ...areaDescriptions[name] })),
    'x-tagGroups': listGroups(own),
    paths,
    components: { ...components.list(), securitySchemes },
  };
}

function listAreas(routes: readonly Route[]): string[] {
  const names = areaGroups.flatMap(({ tags }) => tags);
  const unlisted = routes.find(({ area }) => !names.includes(area));
  if (unlisted !== undefined) throw new Error(`The area ${unlisted.area} belongs to no group of areas.`);
  return names.filter(name => routes.some(({ area }) => area === name));
}

/** Lists groups that have an operation. */
function listGroups(routes: readonly Route[]): typeof areaGroups {
  const names = listAreas(routes);
  const groups = areaGroups.map(({ name, tags }) => ({
    name,
    tags: tags.filter(tag => names.includes(tag)),
  }));
  return groups.filter(({ tags }) => tags.length > 0);
}

/** Names exported shapes after their export, and other bodies and answers after their operation. */
function nameShapes(routes: readonly Route[]): Components {
  const components = new Components();
  components.nameShape(ErrorResponse, 'Error');
  components.describeShape(ErrorResponse);
  for (const file of [values, chat, routing, ...Object.values(areas)])
    for (const [name, value] of Object.entries<unknown>(file))
      if (isShape(value)) components.nameShape(value, name);
  for (const route of routes) {
    const name = toPascalCase(route.id);
    for (const [type, shape] of Object.entries(bodiesOf(route)))
      if (hasParts(shape)) components.nameShape(shape, `${name}${type === jsonType ? 'Body' : 'Form'}`);
    if (hasParts(route.answer)) components.nameShape(route.answer, `${name}Answer`);
  }
  return components;
}

function hasParts(shape: TSchema): boolean {
  return 'properties' in shape || 'anyOf' in shape;
}

const jsonType = 'application/json';

function bodiesOf({ body, stream }: Route): Readonly<Record<string, TSchema>> {
  return stream ?? (body === undefined ? {} : { [jsonType]: body });
}

/** TypeBox marks its shapes, which tells them from exported routes and lists of errors. */
function isShape(value: unknown): value is TSchema {
  return typeof value === 'object' && value !== null && '~kind' in value;
}

function describeRoute(route: Route, components: Components): Json {
  const parameters = [
    ...describeParameters(components, route, 'path'),
    ...describeParameters(components, route, 'query'),
    ...describeParameters(components, route, 'header'),
  ];
  return {
    operationId: route.id,
    tags: [route.area],
    ...describeSecurity(route.access),
    ...(parameters.length > 0 && { parameters }),
    ...describeBody(components, route),
    responses: {
      ...describeAnswer(components, route),
      ...describeOtherAnswers(route),
      ...describeErrors(components, route),
    },
  };
}

/** Adds a note to routes for signed-in users, which derive from those for tokens. */
function describeSummary(route: Route, routes: readonly Route[]): string {
  const isDerived = routes.some(
    other => other !== route && other.summary === route.summary && other.access.by === 'token',
  );
  return isDerived && route.access.by !== 'token'
    ? route.summary.replace(/[.:]/, sign => `, as a member of the project${sign}`)
    : route.summary;
}

function describeBody(components: Components, route: Route): Json {
  const bodies = Object.entries(bodiesOf(route));
  if (bodies.length === 0) return {};
  const content = bodies.map(([type, shape]) => [type, { schema: components.describeShape(shape) }]);
  return { requestBody: { required: route.mayBeEmpty !== true, content: Object.fromEntries(content) } };
}

/** Returns nothing for a route that never answers 200. */
function describeAnswer(components: Components, route: Route): Json {
  const { answer, answerType = jsonType, otherAnswers } = route;
  const isEmpty = 'type' in answer && answer.type === 'null';
  if (isEmpty && otherAnswers !== undefined) return {};
  const content = { [answerType]: { schema: components.describeShape(answer) } };
  return { 200: { description: 'Success.', ...(!isEmpty && { content }) } };
}

function describeOtherAnswers({ otherAnswers = {} }: Route): Json {
  return Object.fromEntries(
    Object.entries(otherAnswers).map(([status, text]) => [status, { description: text }]),
  );
}

function describeParameters(
  components: Components,
  route: Route,
  place: 'path' | 'query' | 'header',
): Json[] {
  const shapes: Record<typeof place, TObject | undefined> = {
    path: route.params,
    query: route.query,
    header: route.headers,
  };
  const shape = shapes[place];
  if (shape === undefined) return [];
  const required = new Set<string>(shape.required ?? []);
  return Object.entries(shape.properties).map(([name, schema]) => {
    // TypeBox keeps the description, but its types do not declare it.
    const { description: text } = schema as { description?: string };
    const parameter = {
      name,
      in: place,
      ...(required.has(name) && { required: true }),
      ...(text && { description: text }),
      schema,
    };
    return components.describeParameter(parameter, route.id);
  });
}

const errorsOfAny =
  'Errors of any request: 400 if it is malformed, 408 if it stops arriving, and 5xx if the service has a problem.';

/** Describes one response per status, which lists its codes. */
function describeErrors(components: Components, route: Route): Json {
  const statuses = groupByStatus([...errorsOf(route), 'headers_too_large']);
  return {
    ...Object.fromEntries(statuses.map(([status, codes]) => [status, components.describeErrors(codes)])),
    default: components.describeError('AnyFailure', errorsOfAny),
  };
}

function describeSecurity(access: Access): Json {
  if (access.by === 'anyone' || (access.by === 'token' && access.inPath)) return { security: [] };
  if (access.by === 'token') return { security: [{ token: [] }, ...(access.apiKey ? [{ apiKey: [] }] : [])] };
  if (access.by === 'owner' || access.by === 'user' || access.by === 'person')
    return { security: [{ session: [] }] };
  return { security: [{ session: [] }, { token: [] }] };
}
