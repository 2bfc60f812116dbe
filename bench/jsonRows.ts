/** Makes the entries of `logRows.ts`, with a quarter of them gateway requests whose bodies are JSON objects. */
import type { RowRange } from './fillLogStore.ts';
import { formatRows } from './logRows.ts';

export const jsonService = 'gateway';
export const jsonEach = 4; // one in this many entries is such a request

const body = `concat('{"method":"', ['GET', 'GET', 'GET', 'POST', 'PUT', 'DELETE'][1 + a % 6],
    '","path":"/api/', ['shop', 'players', 'vehicles', 'bans', 'chat'][1 + b % 5], '/', toString(b % 10000),
    '","status":', toString([200, 200, 200, 200, 200, 200, 200, 204, 404, 500][1 + c % 10]),
    ',"durationMs":', toString(d % 1000), ',"bytes":', toString(c % 90000),
    ',"client":{"ip":"10.0.', toString(a % 256), '.', toString(d % 256), '","country":"', ['de', 'us', 'fr', 'jp'][1 + d % 4],
    '"},"node":"srv-', toString(a % 64), '","cached":', if(b % 3 = 0, 'true', 'false'), '}')`;

export function formatJsonRows(range: RowRange): string {
  return `WITH identity % ${jsonEach} = 0 AS isRequest,
    cityHash64(identity, 5) AS a, cityHash64(identity, 6) AS b, cityHash64(identity, 7) AS c, cityHash64(identity, 8) AS d
  SELECT project, dataset, timestamp, identity, level, if(isRequest, '${jsonService}', resource) AS resource,
    parentId, if(isRequest, ${body}, body) AS body, metadata
  FROM (${formatRows(range)})`;
}
