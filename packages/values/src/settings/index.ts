/** Readers of common kinds of settings. */
export {
  readAddress,
  readByteSize,
  readFlag,
  readNumber,
  readPort,
  readPublicUrl,
  readSubnets,
  readToken,
  readUrl,
  readUrls,
  SettingError,
} from './settingValues.ts';
