/** Runs the tests of a thousand followers with fast HTTP turned off. */
import './fastHttpOff.ts';
import '../../logs/logTailCrowd.test.ts';
