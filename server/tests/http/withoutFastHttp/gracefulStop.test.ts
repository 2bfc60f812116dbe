/** Runs the tests of a graceful stop with fast HTTP turned off. */
import './fastHttpOff.ts';
import '../../operations/gracefulStop.test.ts';
