/** Makes the entries of `logRows.ts`, but a quarter are gateway requests with JSON bodies, and a quarter proxy requests in logfmt. */
import type { RowRange } from './fillLogStore.ts';
import { formatRows } from './logRows.ts';

export const jsonService = 'gateway';
export const logfmtService = 'proxy';
export const jsonEach = 4; // one in this many entries is such a request, of either service

const body = `concat('{"method":"', ['GET', 'GET', 'GET', 'POST', 'PUT', 'DELETE'][1 + a % 6],
    '","path":"/api/', ['shop', 'players', 'vehicles', 'bans', 'chat'][1 + b % 5], '/', toString(b % 10000),
    '","status":', toString([200, 200, 200, 200, 200, 200, 200, 204, 404, 500][1 + c % 10]),
    ',"durationMs":', toString(d % 1000), ',"bytes":', toString(c % 90000),
    ',"client":{"ip":"10.0.', toString(a % 256), '.', toString(d % 256), '","country":"', ['de', 'us', 'fr', 'jp'][1 + d % 4],
    '"},"node":"srv-', toString(a % 64), '","cached":', if(b % 3 = 0, 'true', 'false'), '}')`;

const logfmtBody = `concat('ts=', toString(toUnixTimestamp(timestamp)), ' level=', toString(level),
    ' msg="', ['request served', 'request served', 'served from cache', 'upstream timed out'][1 + c % 4], '"',
    ' method=', ['GET', 'GET', 'GET', 'POST', 'PUT', 'DELETE'][1 + a % 6],
    ' path=/api/', ['shop', 'players', 'vehicles', 'bans', 'chat'][1 + b % 5], '/', toString(b % 10000),
    ' status=', toString([200, 200, 200, 200, 200, 200, 200, 204, 404, 500][1 + c % 10]),
    ' durationMs=', toString(d % 1000), ' took=', toString(d % 1000), '.', toString(a % 10), 'ms size=', toString(c % 90000), 'B',
    ' ip=10.0.', toString(a % 256), '.', toString(d % 256), ' country=', ['de', 'us', 'fr', 'jp'][1 + d % 4], ' node=srv-', toString(a % 64))`;

export function formatJsonRows(range: RowRange): string {
  return `WITH identity % ${jsonEach} = 0 AS isRequest, identity % ${jsonEach} = 1 AS isLogfmt,
    cityHash64(identity, 5) AS a, cityHash64(identity, 6) AS b, cityHash64(identity, 7) AS c, cityHash64(identity, 8) AS d
  SELECT project, dataset, timestamp, identity, level, multiIf(isRequest, '${jsonService}', isLogfmt, '${logfmtService}', resource) AS resource,
    parentId, multiIf(isRequest, ${body}, isLogfmt, ${logfmtBody}, body) AS body, metadata
  FROM (${formatRows(range)})`;
}
