/** Runs the tests of batch intake with fast HTTP turned off. */
import './fastHttpOff.ts';
import '../../logs/batchIntake.test.ts';
