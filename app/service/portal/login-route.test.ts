import { expect, test } from 'vitest';
import { createLoginRoute } from './login-route.ts';

const place = {
  gateways: ['10.1.0.1'],
  own: ['10.1.0.7'],
  elsewhere: [],
  local: { 4: null, 6: null },
};
const url = 'http://portal.example/login';

function route(answers: Record<string, string[]>, asked: string[] = []) {
  return createLoginRoute({
    async resolve(name) {
      asked.push(name);
      return answers[name] ?? [];
    },
    whereabouts: () => ({ place, url }),
  });
}

test.each([
  ['localhost', 80],
  ['a.localhost', 80],
  ['Localhost.', 443],
  ['', 80],
  ['a b', 80],
  ['a..b', 80],
  ['käse.example', 80],
  [`${'a.'.repeat(200)}example`, 80],
  ['portal.example', 25],
  ['portal.example', 0],
])('nobody is asked for %s, port %i', async (host, port) => {
  const asked: string[] = [];
  expect(await route({}, asked).to(host, port)).toBe('forbidden');
  expect(asked).toEqual([]);
});

test('a name that leads to this machine, or into a private network, leads nowhere', async () => {
  const to = route({
    'rebound.example': ['127.0.0.1', '::1', '10.1.0.7', '0.0.0.0'],
    'inside.example': ['192.168.1.1', 'fd00::1'],
    'none.example': [],
  });
  expect(await to.to('rebound.example', 80)).toBe('forbidden');
  expect(await to.to('inside.example', 80)).toBe('forbidden');
  expect(await to.to('none.example', 80)).toBe('unresolved');
  for (const literal of ['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.1.0.7', '192.168.1.1'])
    expect(await to.to(literal, 80), literal).toBe('forbidden');
});

test('a name is asked for once a while, in whatever case', async () => {
  const asked: string[] = [];
  const to = route({ 'portal.example': ['192.168.1.1'] }, asked);
  await to.to('Portal.example', 25);
  await to.to('Portal.example', 80);
  await to.to('portal.EXAMPLE.', 443);
  expect(asked).toEqual(['portal.example']);
});

test('where there was no answer, it is asked again: a permission may have rested at that moment', async () => {
  const asked: string[] = [];
  const answers: Record<string, string[]> = {};
  const to = route(answers, asked);
  const both = [to.to('far.example', 80), to.to('far.example', 443)];
  expect(await Promise.all(both)).toEqual(['unresolved', 'unresolved']);
  expect(asked).toEqual(['far.example']);
  answers['far.example'] = ['192.168.1.1'];
  expect(await to.to('far.example', 80)).toBe('forbidden');
  expect(asked).toEqual(['far.example', 'far.example']);
});

test('when the login has ended meanwhile, its answer leads nowhere', async () => {
  let open = true;
  const to = createLoginRoute({
    async resolve() {
      open = false;
      return ['198.51.100.1'];
    },
    whereabouts: () => (open ? { place, url } : null),
  });
  expect(await to.to('portal.example', 80)).toBe('forbidden');
  expect(await to.to('portal.example', 80)).toBe('forbidden');
});
