/** Runs the tests of log intake with fast HTTP turned off. */
import './fastHttpOff.ts';
import '../../logs/logIntake.test.ts';
