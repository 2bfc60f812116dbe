/**
 * A short-lived program that spreads the parts of the tables in a data directory (`partSpreading.ts`). It is a separate process, because
 * only the engine's process otherwise loads what calls the system. Argument: the engine's data directory.
 */
import { spreadParts } from './partSpreading.ts';

const [dataDirectory = ''] = process.argv.slice(2);
spreadParts(dataDirectory);
