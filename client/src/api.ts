/** The types of every call, derived from the contract. Importing them adds no contract code at run time. */

import type * as areas from '@tapedeck/contract/areas';
import type { BodyOf, ParamsOf, QueryOf, ResponseOf, Route } from '@tapedeck/contract/route';
import type { ErrorCode } from '@tapedeck/contract/vocabulary';
import type { Static, TSchema } from 'typebox';

export type { ErrorCode };

type Area = (typeof areas)[keyof typeof areas];

/** Each area exports its shared shapes beside its routes. */
type RouteIn<A> = A extends unknown ? Extract<A[keyof A], Route> : never;

/** Every route by its id. */
type Api = { [R in RouteIn<Area> as R['id']]: R };
export type RouteId = keyof Api;

type NoKeys = Record<never, never>;
type Part<Key extends string, Value> = keyof Value extends never
  ? { [K in Key]?: never }
  : NoKeys extends Value
    ? { [K in Key]?: Value }
    : { [K in Key]: Value };

/** Lists accept any number of metadata filters; routes without such filters ignore them, like all unknown keys. */
type MetadataFilters = { [key: `metadata.${string}`]: string | undefined };

/** Lets callers pass undefined for optional query parameters. */
type Forgiving<Query> = {
  [Key in keyof Query]: NoKeys extends Pick<Query, Key> ? Query[Key] | undefined : Query[Key];
} & MetadataFilters;

type QueryPart<Query> = keyof Query extends never ? { query?: never } : Part<'query', Forgiving<Query>>;

/** The bodies a program can pass, by content type. */
type StreamBodies = { 'multipart/form-data': FormData; 'text/plain': string };
type StreamBody<Shapes> = {
  [Type in keyof Shapes]: Type extends 'application/json'
    ? Shapes[Type] extends TSchema
      ? Static<Shapes[Type]>
      : never
    : Type extends keyof StreamBodies
      ? StreamBodies[Type]
      : never;
}[keyof Shapes];

/** A route with a body requires one, even if all its fields are optional. */
type BodyPart<R extends Route> = R extends { stream: infer Shapes }
  ? { body: StreamBody<Shapes> }
  : BodyOf<R> extends undefined
    ? { body?: never }
    : { body: BodyOf<R> };

type InputOf<R extends Route> = Part<'params', ParamsOf<R>> & QueryPart<QueryOf<R>> & BodyPart<R>;

export type Input<Id extends RouteId> = InputOf<Api[Id]>;
export type Answer<Id extends RouteId> = ResponseOf<Api[Id]>;

export type CallOptions = { signal?: AbortSignal };

/** Callers may omit the input if none of its parts is required. */
type CallArguments<Given> = NoKeys extends Given
  ? [input?: Given, options?: CallOptions]
  : [input: Given, options?: CallOptions];

/** One function per route: `client.createToken({ params, body })`. Each rejects with an `ApiError`. */
export type Client = {
  readonly [Id in RouteId]: (...given: CallArguments<Input<Id>>) => Promise<Answer<Id>>;
};
