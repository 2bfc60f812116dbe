/** Defines the protocol for plain logs: JSON lines, a JSON list, or plain text. The answers match the service's own routes. */
import {
  answerJson,
  defineEntryRoute,
  type Protocol,
  readTexts,
  unpacksLittle,
  writeNothing,
} from '../protocol.ts';
import { type LineNames, readLines, usualLineNames } from './reader.ts';

type LinesOptions = { names: LineNames };

const parts = ['message', 'level', 'time', 'resource'] as const;

export const lines: Protocol<LinesOptions> = {
  name: 'lines',
  entryRoutes: [
    defineEntryRoute<LinesOptions>({
      id: 'log_lines',
      path: '/api/v3/logs/lines',
      summary: 'Store log lines: JSON objects, a JSON list, or plain text.',
      readOptions(request) {
        const asked = readTexts(
          request,
          parts.map(part => `${part}Field`),
        );
        const pick = (part: keyof LineNames) => listNames(asked[`${part}Field`]) ?? usualLineNames[part];
        return {
          names: {
            message: pick('message'),
            level: pick('level'),
            time: pick('time'),
            resource: pick('resource'),
          },
        };
      },
      answer: () => answerJson(200, { status: 'ok' }),
    }),
  ],
  questionRoutes: [],
  unpacksLarge: unpacksLittle,
  read: (body, { names }, rules) => ({ entries: readLines(body, { ...rules, names }), refusals: null }),
  write: writeNothing,
  refuse: null,
};

/** Splits names at commas. Returns null if there are none. */
function listNames(asked: string | undefined): string[] | null {
  const names = (asked ?? '')
    .split(',')
    .map(name => name.trim())
    .filter(Boolean);
  return names.length > 0 ? names : null;
}
