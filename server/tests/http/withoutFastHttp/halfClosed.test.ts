/** Runs the tests of halfClosed with fast HTTP turned off, also behind a request with `Upgrade`. */
import './fastHttpOff.ts';
import '../halfClosed.test.ts';
