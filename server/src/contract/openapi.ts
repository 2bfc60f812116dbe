/** Writes the contract as OpenAPI 3.1. The shapes already are JSON Schema. */
import { languageDescription } from '@tapedeck/log-query-language/description';
import type { TObject, TSchema } from 'typebox';
import { errorStatuses } from '../vocabulary.ts';
import { type Access, ErrorResponse, errorsOf, type Route } from './route.ts';
import { describedWords } from './values.ts';

type Json = Record<string, unknown>;

/** Of the description: SERVICE.md, Versioning. The product's own stands in `/api/manage/state`. */
const descriptionVersion = '1.0';

const areaDescriptions: Readonly<Record<string, { description: string }>> = {
  Logs: { description: languageDescription },
};

export function describeApi(routes: readonly Route[]): Json {
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const path = route.path.replace('*}', '}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(route) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tapedeck',
      version: descriptionVersion,
      description:
        'Stores media and logs of game servers and apps. Every error is `{"error": sentence, "code": code}`, with `field` where one field is wrong. The language of `query` is described at the head of Logs. Guides: [connecting tools](/docs/connect), [notifications](/docs/notifications).',
    },
    tags: [...new Set(routes.map(route => route.area))].map(name => ({ name, ...areaDescriptions[name] })),
    paths,
    components: {
      schemas: { Error: withoutId(ErrorResponse) },
      securitySchemes: {
        token: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description: 'The token itself, or Bearer and the token.',
        },
        apiKey: { type: 'apiKey', in: 'query', name: 'apiKey' },
        session: { type: 'apiKey', in: 'cookie', name: 'tapedeck_session' },
      },
    },
  };
}

function describeRoute(route: Route): Json {
  const parameters = [
    ...describeParameters('path', route.params),
    ...describeParameters('query', route.query),
  ];
  return {
    operationId: route.id,
    tags: [route.area],
    summary: route.summary,
    ...describeSecurity(route.access),
    ...(parameters.length > 0 && { parameters }),
    ...describeBody(route),
    responses: {
      200: { description: 'Success.', content: describeAnswer(route) },
      ...describeOtherAnswers(route),
      ...describeErrors(route),
    },
  };
}

function describeBody({ body, stream }: Route): Json {
  const shapes = stream ?? (body && { 'application/json': body });
  if (shapes === undefined) return {};
  const content = Object.entries(shapes).map(([type, schema]) => [type, { schema }]);
  return { requestBody: { required: true, content: Object.fromEntries(content) } };
}

function describeAnswer({ answer, answerType = 'application/json' }: Route): Json {
  return { [answerType]: { schema: answer } };
}

function describeOtherAnswers({ otherAnswers = {} }: Route): Json {
  return Object.fromEntries(
    Object.entries(otherAnswers).map(([status, description]) => [status, { description }]),
  );
}

function describeParameters(place: 'path' | 'query', shape: TObject | undefined): Json[] {
  if (shape === undefined) return [];
  const required = new Set<string>(shape.required ?? []);
  return Object.entries(shape.properties).map(([name, schema]) => {
    // TypeBox keeps a description where one was given; its types do not say so.
    const { description } = schema as { description?: string };
    return {
      ...{ name, in: place, required: required.has(name), ...(description && { description }) },
      schema: describeWords(schema),
    };
  });
}

/** An `enum` for readers of the description, where the check leaves the words to the domain. */
function describeWords(schema: TSchema): Json {
  const { [describedWords]: words, ...rest }: TSchema & { [describedWords]?: readonly string[] } = schema;
  return words === undefined ? rest : { ...rest, enum: words };
}

const errorsOfAny =
  'What any request may get: 400 when it is malformed, 408 when it stops coming, and 5xx when the service is in trouble.';

/** One answer a status, whose description lists its codes. */
function describeErrors(route: Route): Json {
  const codes = Map.groupBy([...errorsOf(route), 'headers_too_large' as const], code => errorStatuses[code]);
  const statuses = [...codes.keys()].sort((one, other) => one - other);
  const content = { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } };
  const listed = statuses.map(status => {
    const words = codes.get(status)!.map(code => `\`${code}\``);
    return [status, { description: `Codes: ${words.join(', ')}.`, content }];
  });
  return { ...Object.fromEntries(listed), default: { description: errorsOfAny, content } };
}

function describeSecurity(access: Access): Json {
  if (access.by === 'anyone' || (access.by === 'token' && access.inPath)) return { security: [] };
  if (access.by === 'token') return { security: [{ token: [] }, ...(access.apiKey ? [{ apiKey: [] }] : [])] };
  if (access.by === 'owner' || access.by === 'user' || access.by === 'person')
    return { security: [{ session: [] }] };
  return { security: [{ session: [] }, { token: [] }] };
}

function withoutId(schema: TSchema & { $id?: string }): Json {
  const { $id: _, ...rest } = schema;
  return rest;
}
