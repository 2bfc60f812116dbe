/** Reads members of bodies in statements. A body that is no JSON object has none. */
import { type AskedMember, expressDoubts, listMemberPaths } from '@tapedeck/log-query-language';
import type { Binder } from '../writer/engine/statements.ts';
import { joinAll, joinAny } from './comparisons.ts';

/** The text of a member, `''` where there is none, and whether there is one. */
export function formatMember(key: string, binder: Binder): { value: string; isPresent: string } {
  const ways = listWays(key, binder);
  const choices = ways.map(({ path, isPresent }) => `${isPresent}, JSONExtract(body, ${path}, 'String')`);
  return {
    value: `multiIf(${choices.join(', ')}, '')`,
    isPresent: joinAny(ways.map(({ isPresent }) => isPresent)),
  };
}

function listWays(key: string, binder: Binder): { path: string; isPresent: string }[] {
  return listMemberPaths(key).map(keys => {
    const path = keys.map(each => binder.bind('String', each)).join(', ');
    return { path, isPresent: `(JSONType(body, ${path}) NOT IN ('Null', 'Array', 'Object'))` };
  });
}

/** Whether nothing about them is in doubt. */
export function formatPlainMembers(members: readonly AskedMember[], binder: Binder): string {
  const doubts = binder.bind('String', expressDoubts(members));
  const apart = members
    .map(({ key }) => listWays(key, binder).map(({ isPresent }) => isPresent))
    .filter(ways => ways.length > 1)
    .map(ways => `${ways.join(' + ')} <= 1`);
  return joinAll(["JSONType(body) = 'Object'", `NOT match(body, ${doubts})`, ...apart]);
}
