/** Runs the tests of malformed HTTP with fast HTTP turned off. */
import './fastHttpOff.ts';
import '../malformedHttp.test.ts';
