/** The door of Datadog's agents and libraries. */
import { STATUS_CODES } from 'node:http';
import { readContentType } from '@tapedeck/request-bodies';
import { format } from '../../intake/datadog/datadogFormat.worker.ts';
import type { SentDeps } from '../../intake/protocol/ingest.ts';
import { type HandledRoute, handle, type SpellFailure } from '../routing.ts';
import { datadogRoutes, datadogValidation } from './contract.ts';
import { ingestRequest, readDefaults } from './requests.ts';

const defaultNames = ['ddsource', 'ddtags', 'service', 'hostname', 'status'];

export function handleDatadog(deps: SentDeps): HandledRoute[] {
  const intake = datadogRoutes.map(route => {
    const handled = handle(route, async call => {
      const isJson = !readContentType(call.request.headers).startsWith('text/');
      const defaults = readDefaults(call.request, defaultNames);
      await ingestRequest(deps, call, { format, options: { isJson, defaults } });
      return call.reply.code(202).serializer(JSON.stringify).send({});
    });
    return { ...handled, spellFailure };
  });
  const validation = handle(datadogValidation, async () => ({ valid: true }));
  return [...intake, { ...validation, spellFailure: spellInvalid }];
}

/** Agents know a key that is not good by this status alone. */
const spellInvalid: SpellFailure = (failure, exchange) => {
  if (failure.status === 401) exchange.reply.code(403);
  return spellFailure(failure, exchange);
};

const spellFailure: SpellFailure = ({ status, body }) =>
  JSON.stringify({ errors: [{ status: String(status), title: STATUS_CODES[status], detail: body.error }] });
