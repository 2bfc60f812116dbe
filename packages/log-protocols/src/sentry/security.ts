/** Turns what browsers report about violated policies into events. Browsers send several formats, old ones and those of the Reporting API. */
import { isObject, type JsonObject } from '@tapedeck/values/json';
import { describeValue } from '../reading/bodySplitting.ts';
import { ProtocolFailure } from '../reading/sentEntry.ts';

const reportsMax = 100; // browsers send a few at once

/** The formats that wrap a single report, by the name around it. */
const wrappers = {
  'csp-report': 'csp',
  'expect-ct-report': 'expectct',
  'expect-staple-report': 'expectstaple',
} as const;

export function readReports(body: unknown): JsonObject[] {
  const reports: readonly unknown[] = Array.isArray(body) ? body : [body];
  if (reports.length === 0 || reports.length > reportsMax)
    throw new ProtocolFailure('bad_request', `Send 1 to ${reportsMax} reports.`);
  return reports.map((report, index) => {
    const event = isObject(report) ? describeReport(report) : null;
    if (event === null)
      throw new ProtocolFailure(
        'bad_request',
        `Report ${index} must be an object with a csp-report, or of type csp-violation.`,
      );
    return event;
  });
}

/** Returns null if the format is unknown. */
function describeReport(report: JsonObject): JsonObject | null {
  for (const [wrapper, logger] of Object.entries(wrappers)) {
    const inner = report[wrapper];
    if (isObject(inner)) return logger === 'csp' ? describePolicy(inner) : describeFailure(inner, logger);
  }
  if ('known-pins' in report) return describeFailure(report, 'hpkp');
  const { type, body, url, user_agent } = report;
  if (!isObject(body) || typeof type !== 'string') return null;
  const agent = typeof user_agent === 'string' ? { headers: { 'User-Agent': user_agent } } : {};
  if (type === 'csp-violation') return { ...describePolicy(body), request: { url, ...agent } };
  return {
    logger: type,
    message: describeValue(body.message) || type,
    [type]: body,
    request: { url, ...agent },
  };
}

function describePolicy(report: JsonObject): JsonObject {
  const read = (...names: string[]) =>
    names.map(name => describeValue(report[name])).find(text => text !== '');
  const [directive = 'content'] = (
    read('effective-directive', 'effectiveDirective', 'violated-directive') ?? ''
  )
    .split(' ')
    .filter(word => word !== '');
  const blocked = read('blocked-uri', 'blockedURL', 'blockedURI') ?? 'self';
  return {
    logger: 'csp',
    message: `Blocked '${directive}' from '${readHost(blocked)}'`,
    csp: report,
    request: { url: read('document-uri', 'documentURL') },
  };
}

function describeFailure(report: JsonObject, logger: string): JsonObject {
  return { logger, message: `${logger} failed for '${describeValue(report.hostname)}'`, [logger]: report };
}

/** Returns the host of an address, so that reports about one host are alike; other texts (`inline`, `data`) as they are. */
function readHost(text: string): string {
  return URL.canParse(text) ? new URL(text).host || text : text;
}
