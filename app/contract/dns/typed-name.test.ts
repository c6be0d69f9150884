import { expect, test } from 'vitest';
import { type MethodName, serviceApi } from '../service-api.ts';

test.each<[MethodName, object]>([
  ['rule.explain', { name: 'bücher.example' }],
  ['rule.answer', { suffix: 'bücher.example', link: 'tun0', believe: true }],
  ['rule.remove', { suffix: 'bücher.example' }],
  ['rule.add', { suffix: 'bücher.example', to: ['192.0.2.1'] }],
  ['cache.show', { name: 'bücher.example' }],
  ['cache.flush', { suffix: 'bücher.example' }],
  ['query.askEach', { name: 'bücher.example', type: 'A' }],
])('%s takes an international name as the wire has it', (method, params) => {
  const read = serviceApi.methods[method].params.safeParse(params);
  expect(JSON.stringify(read.data)).toContain('xn--bcher-kva.example');
  const wrong = JSON.parse(JSON.stringify(params).replace('bücher.example', 'bü_@cher'));
  expect(serviceApi.methods[method].params.safeParse(wrong).success).toBe(false);
});
