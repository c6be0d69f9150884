/** Whether settings.json can be used, and what policies do to it. */

import { type Finding, fail, ok, warn } from '../../service/doctor/finding.ts';
import type { SettingsInForce } from '../settings-file.ts';

export function judgeSettings(
  file: string,
  { exists, problems, notes }: SettingsInForce,
): Finding[] {
  return [
    ...(problems.length > 0
      ? problems.map(({ file: wrong, path, line, reason }) =>
          fail(
            'settings',
            `${wrong}${line === null ? '' : `:${line}`}: ${path === '' ? '' : `${path}: `}${reason}`,
            `correct the file; "sotto config check ${file}" lists all errors`,
            path,
          ),
        )
      : [
          ok(
            'settings',
            exists ? `${file} has no error.` : `There is no ${file}; the defaults hold.`,
          ),
        ]),
    ...notes.map((note) =>
      warn('policy', note, 'ask whoever administers this machine, or remove your own value'),
    ),
  ];
}
