/** `npm run pack`: makes the npm packages and prints the paths of their tarballs, for `npm publish`. */

import { makeClientPackage } from './packaging/clientPackage.ts';
import { makePackage } from './packaging/package.ts';
import { repositoryRoot } from './repository.ts';

console.log(makePackage(`${repositoryRoot}/.cache`));
console.log(await makeClientPackage(`${repositoryRoot}/.cache`));
