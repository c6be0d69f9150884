import { expect, test } from 'vitest';
import { lineToStartHelper } from './start-helper.ts';

const helper = '/home/ann/sotto/target/release/sotto-helper';

test.each<[Record<string, string>, string, string]>([
  [{ SOTTO_MODE: 'system' }, helper, 'sudo systemctl start sotto-helper.socket'],
  [{}, helper, `sudo ${helper} --for "$USER"`],
  [{}, "/home/ann's/sotto-helper", `sudo '/home/ann'\\''s/sotto-helper' --for "$USER"`],
  [{ APPIMAGE: '/opt/Sotto.AppImage' }, helper, 'sudo /opt/Sotto.AppImage --helper --for "$USER"'],
  [
    { APPIMAGE: '/home/ann/My Apps/$(id).AppImage' },
    helper,
    `sudo '/home/ann/My Apps/$(id).AppImage' --helper --for "$USER"`,
  ],
])('in %j with %s: %s', (environment, program, line) => {
  expect(lineToStartHelper(environment, program)).toBe(line);
});
