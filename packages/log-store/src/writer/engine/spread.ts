/**
 * A program of a moment: places the parts of the tables in a data directory apart (`partSpreading.ts`). A process of its own, because only
 * the engine's process otherwise loads what calls the system. Argument: the engine's data directory.
 */
import { spreadParts } from './partSpreading.ts';

const [dataDirectory = ''] = process.argv.slice(2);
spreadParts(dataDirectory);
