import { expect, test } from 'vitest';
import { programOfGroup } from './program-of-group.ts';

const id = '4f2a'.repeat(16);
const user = '/user.slice/user-1000.slice/user@1000.service/app.slice';

test.each([
  [`${user}/app-gnome-firefox-4711.scope`, 'firefox', ''],
  [`${user}/app-flatpak-org.mozilla.firefox-4711.scope`, 'org.mozilla.firefox', ''],
  [`${user}/app-org.gnome.Evolution-4711.scope`, 'org.gnome.Evolution', ''],
  [`${user}/app-gnome-org.gnome.Terminal@4711.service`, 'org.gnome.Terminal', ''],
  [`${user}/app-gnome-google\\x2dchrome-4711.scope`, 'google-chrome', ''],
  [`${user}/snap.chromium.chromium-0b1e5a2c-1111-2222-3333-444455556666.scope`, 'chromium', ''],
  [`${user}/pipewire.service`, 'pipewire', ''],
  ['/user.slice/user-1000.slice/session-2.scope', 'session', ''],
  ['/system.slice/sshd.service', 'sshd', ''],
  ['/system.slice/system-getty.slice/getty@tty1.service', 'getty', ''],
  ['/system.slice/apt-daily-upgrade.service', 'apt-daily-upgrade', ''],
  [`/system.slice/docker-${id}.scope`, 'docker', id.slice(0, 12)],
  [`/machine.slice/libpod-${id}.scope/container`, 'podman', id.slice(0, 12)],
  [`/docker/${id}`, 'container', id.slice(0, 12)],
  ['/lxc.payload.web/system.slice/nginx.service', 'lxc', 'web'],
  ['/machine.slice/machine-debian\\x2d12.scope/payload', 'machine', 'debian-12'],
])('%s is %s', (path, program, container) => {
  expect(programOfGroup(path)).toMatchObject({ program, container });
});

test('the unit is the innermost one', () => {
  expect(programOfGroup(`${user}/app-gnome-firefox-4711.scope/worker`)?.unit).toBe(
    'app-gnome-firefox-4711.scope',
  );
});

test.each(['/', '', '/user.slice', '/../../somewhere'])('%s says nothing', (path) => {
  expect(programOfGroup(path)).toBeNull();
});
