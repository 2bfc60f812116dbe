/** The door for lines: JSON on each, a list of it, or plain text. */
import { usualLineNames } from '@tapedeck/log-protocols';
import { format } from '../../intake/lines/linesFormat.worker.ts';
import type { SentDeps } from '../../intake/protocol/ingest.ts';
import { type HandledRoute, handle, ok } from '../routing.ts';
import { linesRoute } from './contract.ts';
import { ingestRequest } from './requests.ts';

export function handleLines(deps: SentDeps): HandledRoute {
  return handle(linesRoute, async call => {
    // As the shape of the query has them.
    const asked = call.query as Partial<Record<`${keyof typeof usualLineNames}Field`, string>>;
    const pick = (part: keyof typeof usualLineNames) => {
      const names =
        asked[`${part}Field`]
          ?.split(',')
          .map(name => name.trim())
          .filter(Boolean) ?? [];
      return names.length > 0 ? names : usualLineNames[part];
    };
    const names = {
      message: pick('message'),
      level: pick('level'),
      time: pick('time'),
      resource: pick('resource'),
    };
    await ingestRequest(deps, call, { format, options: { names, isWhole: false } });
    return ok;
  });
}
