/** `npm run pack`: makes the npm package and prints the path of its tarball, for `npm publish`. */

import { makePackage } from './packaging/package.ts';
import { repositoryRoot } from './repository.ts';

console.log(makePackage(`${repositoryRoot}/.cache`));
