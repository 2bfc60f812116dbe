/** Writes answers after the contract's shapes: what a shape does not name is left out. */
import SerializerSelector from '@fastify/fast-json-stringify-compiler';
import type { FastifySerializerCompiler } from 'fastify';

const compile = SerializerSelector()();

/** A writer is composed for its first answer: there are hundreds, and each takes up to a millisecond of the start. */
export const compileSerializer: FastifySerializerCompiler<unknown> = ({ httpStatus = '', ...route }) => {
  let write: ReturnType<typeof compile> | null = null;
  return answer => {
    write ??= compile({ ...route, httpStatus });
    return write(answer);
  };
};
