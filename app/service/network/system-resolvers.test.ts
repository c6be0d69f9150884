import { expect, test } from 'vitest';
import { systemResolvers } from './system-resolvers.ts';

const listen = ['127.0.0.1:5300', '[::1]:5300'];
const files = (content: Record<string, string>) => (file: string) => content[file] ?? null;
const resolvConf = '/etc/resolv.conf';
const behindStub = '/run/systemd/resolve/resolv.conf';

test.each([
  [
    'plain',
    { [resolvConf]: '# x\nnameserver 192.0.2.1\nsearch a\n  nameserver\t2001:db8::1\n' },
    ['192.0.2.1:53', '[2001:db8::1]:53'],
  ],
  [
    'behind systemd-resolved',
    { [resolvConf]: 'nameserver 127.0.0.53', [behindStub]: 'nameserver 192.0.2.2' },
    ['192.0.2.2:53'],
  ],
  [
    'systemd-resolved without resolvers',
    { [resolvConf]: 'nameserver 127.0.0.53', [behindStub]: '' },
    ['127.0.0.53:53'],
  ],
  [
    'a zone, a name, a repetition',
    {
      [resolvConf]:
        'nameserver fe80::1%eth0\nnameserver dns.test\nnameserver 192.0.2.1\nnameserver 192.0.2.1',
    },
    ['[fe80::1%eth0]:53', '192.0.2.1:53'],
  ],
  ['no file', {}, []],
])('%s', (_what, content, servers) => {
  expect(systemResolvers('auto', listen, null, files(content as Record<string, string>))).toEqual(
    servers,
  );
});

test('ourselves are never among them', () => {
  const read = files({
    [resolvConf]: 'nameserver 127.0.0.1\nnameserver ::1\nnameserver 192.0.2.1',
  });
  expect(systemResolvers('auto', ['127.0.0.1:53', '[::1]:53'], null, read)).toEqual([
    '192.0.2.1:53',
  ]);
  expect(systemResolvers('auto', ['0.0.0.0:53'], null, read)).toEqual(['192.0.2.1:53']);
});

test('a list in the settings replaces the system’s', () => {
  expect(systemResolvers(['192.0.2.7:5353'], listen, null, files({}))).toEqual(['192.0.2.7:5353']);
  expect(
    systemResolvers([], listen, null, files({ [resolvConf]: 'nameserver 192.0.2.1' })),
  ).toEqual([]);
});

test('where the system leads to us, what was before us counts, and never ourselves', () => {
  const read = files({ [resolvConf]: 'nameserver 127.0.0.1' });
  const behindUs = ['192.0.2.1:53', '127.0.0.1:53'];
  expect(systemResolvers('auto', ['127.0.0.1:53'], behindUs, read)).toEqual(['192.0.2.1:53']);
  expect(systemResolvers(['192.0.2.7'], listen, behindUs, read)).toEqual(['192.0.2.7:53']);
});
