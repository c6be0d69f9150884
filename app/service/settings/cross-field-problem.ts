/** What is wrong with settings that are right one by one. */
import type { FlatSettings, SettingKey } from '../../contract/settings/settings.ts';
import type { Path } from '../../contract/settings/validation-issues.ts';

export interface CrossFieldProblem {
  /** the setting to blame, and the place within its value */
  key: SettingKey;
  within: Path;
  reason: string;
  /** the setting at the other end of a loop */
  otherEnd?: 'listen';
}

export type Check = (settings: FlatSettings) => CrossFieldProblem[];
