/** Checks whether settings.json can be used, and how policies change it. */

import { say } from '../../contract/sentences/sentence.ts';
import { type Finding, fail, ok, warn } from '../../service/doctor/finding.ts';
import type { SettingsInForce } from '../commands/settings-file.ts';

export function judgeSettings(
  file: string,
  { exists, problems, notes }: SettingsInForce,
): Finding[] {
  return [
    ...(problems.length > 0
      ? problems.map(({ file: wrong, path, line, reason }) =>
          fail(
            'settings',
            say('settings-wrong', {
              place: `${wrong}${line === null ? '' : `:${line}`}${path === '' ? '' : `: ${path}`}`,
              reason,
            }),
            say('correct-file', { file }),
            path,
          ),
        )
      : [
          ok(
            'settings',
            exists ? say('settings-sound', { file }) : say('settings-absent', { file }),
          ),
        ]),
    ...notes.map((note) => warn('policy', note, say('ask-administrator'))),
  ];
}
