/** Runs the tests of pipelining with fast HTTP turned off, also behind a request with `Upgrade`. */
import './fastHttpOff.ts';
import '../pipelining.test.ts';
