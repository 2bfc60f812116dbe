/** Defines the type of an assistants' tool: its name, arguments and answer. */

import type { ReadingDeps } from '@tapedeck/domain/files/fileLookup';
import type { UrlDeps } from '@tapedeck/domain/files/naming';
import type { VariantMaker } from '@tapedeck/domain/files/variants';
import type { TokenPrincipal } from '@tapedeck/domain/identity/principals';
import type { LogSearchDeps } from '@tapedeck/domain/logs/search/searchFilter';
import type { BlobStore } from '@tapedeck/domain/ports/blobs';
import type { Clock } from '@tapedeck/domain/ports/clock';
import Type, { type Static, type TObject } from 'typebox';

export type ToolDeps = LogSearchDeps &
  ReadingDeps &
  UrlDeps & { blobs: BlobStore; makeVariant: VariantMaker; clock: Clock };

export type ToolCall = { caller: TokenPrincipal; signal: AbortSignal };

export type ToolContent =
  | { type: 'text'; text: string }
  /** `data`: base64. */
  | { type: 'image'; data: string; mimeType: string };

type ToolWords = {
  name: string;
  title: string;
  description: string;
  /** The token kind that may call the tool. */
  kind: 'logs' | 'media';
};

export type Tool = ToolWords & {
  input: TObject;
  run(deps: ToolDeps, given: object, call: ToolCall): Promise<ToolContent[]>;
};

/** `run` gets arguments that were checked against `input`. */
export function defineTool<const Input extends TObject>(
  tool: ToolWords & {
    input: Input;
    run(deps: ToolDeps, given: Static<Input>, call: ToolCall): Promise<ToolContent[]>;
  },
): Tool {
  // The arguments were checked against the shape that defines this type.
  return { ...tool, run: (deps, given, call) => tool.run(deps, given as Static<Input>, call) };
}

/** Describes a tool as the protocol lists it. */
export function describeTool({ name, title, description, input }: Tool): object {
  return {
    name,
    title,
    description,
    inputSchema: input,
    annotations: {
      title,
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    },
  };
}

const Query = Type.Optional(
  Type.String({
    description:
      'Which entries. Words occur anywhere; "a phrase"; level:(error,warn); resource:name; player.id:42 for a path of metadata; name:part* ; ms:>100; name:* for "has it"; pattern:…; joined by AND (or a blank), OR, NOT or -, and brackets. All entries when left out.',
  }),
);
const moment = 'An RFC 3339 instant, such as 2026-01-02T03:04:05Z, or how long ago, such as 30m, 2h or 7d.';
const From = Type.Optional(Type.String({ description: `The first moment. ${moment}` }));
const To = Type.Optional(Type.String({ description: `The last moment. ${moment}` }));
const Dataset = Type.Optional(
  Type.String({ description: 'The name of one dataset. If left out, all datasets that the token may read.' }),
);

/** The parameters that most log tools share. */
export const logQuestion = { query: Query, from: From, to: To, dataset: Dataset };

/** Says how to get more rows. A limit at its maximum cannot be raised. */
export function suggestLimit(limit: number, max = 100): string {
  return limit < max ? `raise limit up to ${max}, or ` : '';
}

export function limitOf(whatFor: string, usual: number, max = 100) {
  return Type.Optional(
    Type.Integer({
      minimum: 1,
      description: `${whatFor}: a whole number of 1 or more, ${usual} when left out, at most ${max}.`,
    }),
  );
}
