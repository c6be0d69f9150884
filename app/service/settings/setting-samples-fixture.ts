/** Upstreams, rules, groups and pages as they stand in settings, for tests. */

export const a = { id: 'a', transport: 'dot' as const, address: '192.0.2.1', name: 'a.test' };
export const b = { id: 'b', transport: 'dot' as const, address: '192.0.2.2', name: 'b.test' };
export const boxes = {
  id: 'boxes',
  transport: 'encdns' as const,
  address: '192.0.2.3',
  zone: 'enc.example',
  key: '5'.repeat(64),
};
export const tor = { ...a, id: 'tor', proxy: 'socks5://127.0.0.1:9050' };
export const rule = { suffix: 'corp.example', to: ['192.0.2.9'] };
export const narrow = { ...rule, when: { user: ['a'] } };
export const corp = { names: ['corp.example'], downgrade: 'warn' as const };
export const page = { url: 'http://portal.test/', text: 'success' };
