import { expect, test } from 'vitest';
import { readRoute } from './route.ts';

test.each([
  ['/queries/7?filter=outcome:failed', 'queries', '7', 'outcome:failed'],
  ['/history/7?filter=outcome:failed', 'queries', '7', 'outcome:failed'],
  ['/home', 'home', '', null],
  ['/status', 'home', '', null],
  ['/upstreams/quad9', 'providers', 'quad9', null],
])('%s leads to the page %s', (address, page, item, filter) => {
  const route = readRoute(address);
  expect([route.page, route.item, route.query.get('filter')]).toEqual([page, item, filter]);
});
