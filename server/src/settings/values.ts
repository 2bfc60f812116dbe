/** Reads settings by their names in the environment. */
import { readNumber, SettingError } from '@tapedeck/values/settings';
import { findDefault, nameSetting, type SettingName } from '../settings.ts';

export type Values = {
  given(name: SettingName): string | undefined;
  /** Returns the given value, or the default. */
  read<Value>(name: SettingName, reader: (name: string, value: string) => Value): Value;
  readGiven<Value>(name: SettingName, reader: (name: string, value: string | undefined) => Value): Value;
};

/** Treats an empty value as absent: container files write `NAME=` for it. */
export function openValues(environment: Readonly<Record<string, string | undefined>>): Values {
  const given = (name: SettingName) => environment[nameSetting(name)]?.trim() || undefined;
  return {
    given,
    read: (name, reader) => reader(nameSetting(name), given(name) ?? findDefault(name)),
    readGiven: (name, reader) => reader(nameSetting(name), given(name)),
  };
}

export function wrong(name: SettingName, remedy: string): SettingError {
  return new SettingError(nameSetting(name), remedy);
}

export function readWithin(min: number, max: number) {
  return (name: string, value: string) => readNumber(name, value, { min, max }) ?? 0; // given, so never null
}
