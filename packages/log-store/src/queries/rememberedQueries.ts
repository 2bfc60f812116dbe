/** Queries whose answers stand until the parts change: the same question again costs a look at the names of the parts. */
import type { LogArrivals, LogQueries } from './logQueries.ts';
import type { PartsWatch } from './partsWatch.ts';
import { StandingAnswers } from './standingAnswers.ts';

type Queries = LogQueries & LogArrivals;

const pageEntriesMax = 100; // measuring longer ones would cost everybody else

/** All that read many entries or are asked again and again. */
export function rememberAnswers(queries: Queries, watch: PartsWatch): Queries {
  const findAgain = remember(queries.findEntries, watch);
  return {
    ...queries,
    findEntries: (filter, page, signal) =>
      (page.limit > pageEntriesMax ? queries.findEntries : findAgain)(filter, page, signal),
    countEntries: remember(queries.countEntries, watch),
    findTimeRange: remember(queries.findTimeRange, watch),
    countByTime: remember(queries.countByTime, watch),
    countValues: remember(queries.countValues, watch),
    listDatasets: remember(queries.listDatasets, watch),
    countByDay: remember(queries.countByDay, watch),
  };
}

type Question<Asked extends unknown[], Answer> = (...asked: [...Asked, AbortSignal]) => Promise<Answer>;

function remember<Asked extends unknown[], Answer>(
  ask: Question<Asked, Answer>,
  watch: PartsWatch,
): Question<Asked, Answer> {
  const answers = new StandingAnswers<Answer>(watch);
  return (...asked) => answers.recall(asked.slice(0, -1), () => ask(...asked)); // all but the signal
}
